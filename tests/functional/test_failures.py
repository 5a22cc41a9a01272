"""The failures that the embedded model makes, each told by the report alone: whole reports, from a real run."""

from __future__ import annotations

import pytest
from tests.support import failures
from tests.support.golden import same_as_golden

pytestmark = pytest.mark.model
pytest.importorskip("xllamacpp")


def test_the_reports_on_what_the_embedded_model_gets_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each attempt is red in the way that its case is there to show, and is told in these words."""
    monkeypatch.chdir(failures.ROOT)
    suite = failures.suite()
    assert suite.run() == 1
    assert suite.report is not None
    attempts = suite.report.attempts
    for each, told in zip(attempts, failures.kept(attempts), strict=True):
        same_as_golden(told, failures.path(each.case))
