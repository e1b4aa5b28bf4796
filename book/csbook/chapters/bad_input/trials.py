"""An input put to a classifier, an interrupt among them, and what came of it."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any

import numpy as np

__all__ = ["MARGIN", "VERDICTS", "Outcome", "Trial", "try_input", "interrupt_half_way"]

VERDICTS = {
    "right": "accepted; predictions of an equivalent clean fit, or as accurate where there is none",
    "refused": "an error that says what is wrong",
    "other": "accepted; not those predictions, but as accurate",
    "wrong": "accepted; less accurate than a clean fit, or probabilities that are no numbers",
    "obscure": "an error that does not say what is wrong",
}

MARGIN = 0.02
"""As accurate is a mean recall of the classes lower by no more than this."""


@dataclass(frozen=True)
class Trial:
    """An input put to a classifier, and what would be right.

    Attributes
    ----------
    fit : callable
        Gives the classifier as it is after the input, or raises.
    new : array_like
        Rows to predict.
    truth : ndarray
        Their labels.
    clean : tuple of ndarray
        Labels predicted by a clean fit; of several, each is right.
    equivalent : bool
        Whether the clean fit is equivalent, so that exactly its predictions are right.
    """

    fit: Callable[[], Any]
    new: Any
    truth: np.ndarray
    clean: tuple[np.ndarray, ...]
    equivalent: bool = True


@dataclass(frozen=True)
class Outcome:
    """What came of one input.

    Attributes
    ----------
    verdict : str
        A key of ``VERDICTS``.
    reason : str
        The error, or the figures that decided.
    recalls : tuple of float
        Shares of the classes that are found, if anything was predicted.
    """

    verdict: str
    reason: str
    recalls: tuple[float, ...] = ()


@contextmanager
def _silence() -> Iterator[None]:
    """No warnings, and nothing on the error stream of the process, to which LightGBM writes its errors."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def try_input(trial: Trial, says: str) -> Outcome:
    """Put the input to the classifier and decide what came of it.

    Parameters
    ----------
    trial : Trial
        The input, and what would be right.
    says : str
        Regular expression of the words, or of the value, one of which says what is wrong with the input.

    Returns
    -------
    Outcome
        The verdict with its reason.
    """
    try:
        with _silence():
            model = trial.fit()
            labels = np.asarray(model.predict(trial.new))
            numbers = model.predict_proba(trial.new) if hasattr(model, "predict_proba") else 0.0
    except Exception as error:  # whatever a user would see
        return _refusal(error, says)
    if not np.isfinite(numbers).all():
        return Outcome("wrong", "probabilities that are not finite")
    return _acceptance(labels, trial)


def _refusal(error: Exception, says: str) -> Outcome:
    """An error of Python itself, such as an IndexError, names the input by chance only."""
    meant = isinstance(error, (ValueError, TypeError)) or type(error).__module__ != "builtins"
    clear = meant and re.search(says, str(error), re.IGNORECASE)
    first_line = str(error).strip().partition("\n")[0]
    return Outcome("refused" if clear else "obscure", f"{type(error).__name__}: {first_line}")


def _acceptance(labels: np.ndarray, trial: Trial) -> Outcome:
    differing = min(int(np.sum(labels != clean)) for clean in trial.clean)
    reached, expected = (_recalls(each, trial.truth) for each in (labels, trial.clean[0]))
    accurate = np.mean(reached) >= np.mean(expected) - MARGIN
    if differing == 0 or (accurate and not trial.equivalent):
        verdict = "right"
    else:
        verdict = "other" if accurate else "wrong"
    of_all = f"{differing:,} of {len(labels):,} predictions are not those expected"
    of_classes = f"recalls of the classes {_listed(reached)}, expected {_listed(expected)}"
    return Outcome(verdict, f"{of_all}; {of_classes}", reached)


def _recalls(labels: np.ndarray, truth: np.ndarray) -> tuple[float, ...]:
    return tuple(float(np.mean(labels[truth == label] == label)) for label in np.unique(truth))


def _listed(shares: tuple[float, ...]) -> str:
    return " and ".join(f"{share:.3f}" for share in shares)


def interrupt_half_way(call: Callable[[], object], rehearsal: Callable[[], object], package: str) -> None:
    """Run a call and break it off after half of the calls of functions that the whole takes.

    Parameters
    ----------
    call : callable
        What is interrupted.
    rehearsal : callable
        The same on other objects; it runs to its end, twice, for in the first time something may be compiled.
    package : str
        Calls of this package's functions are counted.

    Raises
    ------
    RuntimeError
        If the call goes on after the interrupt.
    """
    whole = min(_calls(rehearsal, package) for _ in range(2))
    _calls(call, package, last=whole // 2)


def _calls(call: Callable[[], object], package: str, last: int | None = None) -> int:
    """Number of the calls, with an interrupt at the last that is allowed."""
    count, interrupt, before = 0, KeyboardInterrupt(), sys.getprofile()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        inside = frame.f_globals.get("__name__", "").partition(".")[0] == package
        # what a generator raises that is closed is ignored, as what is raised in __del__
        heard = frame.f_code.co_name != "__del__" and not frame.f_code.co_flags & CO_GENERATOR
        if event == "call" and inside and heard:
            count += 1
            if count == last:
                raise interrupt

    sys.setprofile(watch)
    try:
        call()
    except KeyboardInterrupt as error:
        if error is not interrupt:  # but the reader's own
            raise
    else:
        if last is not None:
            raise RuntimeError(f"{package} did not end at an interrupt")
    finally:
        sys.setprofile(before)
    return count
