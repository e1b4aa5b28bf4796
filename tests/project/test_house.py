"""The rooms of both packages stand in one order, and each imports only rooms to its left."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"csb": ROOT / "csb", "csbook": ROOT / "book" / "csbook"}
ORDER = ("inputs", "costs", "engine", "methods", "evaluation", "estimators", "recommend")
OPEN_TO = {room: {*ORDER[: place + 1]} for place, room in enumerate(ORDER)}
OPEN_TO |= {
    "csb": {"estimators", "methods", "recommend"},
    "__main__": {"csb", "engine"},
    "compendium": set(),
    "datasets": set(),
    "csbook": {"csb", *ORDER, "csbook"},
}
"""What each room may import; ``csb`` is the package's own ``__init__.py``."""
OF_THE_BOOK = re.compile(r"csbook|\b[Cc]hapter\b|{ref}|:ref:|{cite|:cite:")


def module_name(path, package):
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    module_name(path, package): path for package in PACKAGES.values() for path in package.rglob("*.py")
}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def room(module):
    """The part of the package that a module belongs to."""
    return module.split(".")[1] if module.startswith("csb.") else module.split(".")[0]


def imported(statement):
    """Modules of the package that a statement imports."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    elif isinstance(statement, ast.ImportFrom):
        assert not statement.level, "imports name their module in full"
        inner = [f"{statement.module}.{alias.name}" for alias in statement.names]
        names = [name if name in MODULES else statement.module for name in inner]
    else:
        return set()
    return {name for name in names if name.split(".")[0] in PACKAGES}


def at_module_level(node):
    """Statements that run when the module is imported: all but those within functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from at_module_level(child)


def test_every_room_has_a_place_in_the_order():
    assert {room(module) for module in MODULES} == OPEN_TO.keys()


@pytest.mark.parametrize("origin", sorted(OPEN_TO))
def test_a_room_imports_only_rooms_to_its_left(origin):
    arrows = {
        f"{module} imports {target}"
        for module, tree in TREES.items()
        if room(module) == origin
        for statement in ast.walk(tree)
        for target in imported(statement)
        if room(target) not in OPEN_TO[origin]
    }
    assert not arrows, sorted(arrows)


def test_only_the_commands_are_loaded_by_name():
    """An import by name is not seen above."""
    loading = {
        module
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if {getattr(node, "id", None), getattr(node, "attr", None)} & {"import_module", "__import__"}
    }
    assert loading == {"csbook.__main__"}


def test_modules_do_not_import_one_another_in_a_circle():
    graph = {
        module: {target for statement in at_module_level(tree) for target in imported(statement)}
        for module, tree in TREES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_few_doors_lead_into_the_house():
    csb = PACKAGES["csb"]
    folders = [path for path in csb.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert len(list(csb.glob("*.py"))) + len(folders) <= 11


def test_the_package_names_no_place_of_the_book():
    """Where what stood in it has gone it may say, and the command points to the other one."""
    naming = {
        module
        for module, path in MODULES.items()
        if module.startswith("csb.") and OF_THE_BOOK.search(path.read_text("utf-8"))
    }
    assert naming <= {"csb.__main__", "csb.compendium", "csb.datasets"}, sorted(naming)
