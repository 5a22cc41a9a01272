"""The live view of a run log: the page of a report in a browser, with its data from a server on this machine."""
