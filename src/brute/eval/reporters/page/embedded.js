// The page of a report in a file: all data lies in it, a block for the list and one for each attempt.
Page(data("report"), (attempt) => data(`t${attempt.id}`));
