"""An interrupt at any line that is chosen."""

import sys


def interrupted_at(step, call, *modules):
    """Run ``call``, interrupted at the step-th line of modules: whether it was, and how many lines ran."""
    files = [each.__file__ for each in modules]
    lines, homes = 0, tuple(file.removesuffix("__init__.py") for file in files)

    def trace(frame, event, argument):
        nonlocal lines
        if not frame.f_code.co_filename.startswith(homes):  # others may swallow it
            return None
        lines += 1
        if lines == step:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True, lines
    finally:
        sys.settrace(before)
    return False, lines
