"""The stubs and the docstrings cover what there is."""

import ast
from pathlib import Path

import alquerque


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_stubs_name_everything():
    stub = Path(alquerque.__file__).with_name("__init__.pyi")
    tree = ast.parse(stub.read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name in ("Move", "Position", "Slice", "Tablebase"):
        defined = {node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)}
        assert public(defined) == public(vars(getattr(alquerque, name))), name
    assert {name for name in alquerque.__all__ if isinstance(getattr(alquerque, name), type)} - {
        "open_tablebase"
    } == set(classes)
    assert Path(alquerque.__file__).with_name("py.typed").exists()


def test_everything_is_described():
    for name in ("Move", "Position", "Slice", "Tablebase"):
        of = getattr(alquerque, name)
        assert of.__doc__
        for attribute in public(vars(of)):
            assert getattr(of, attribute).__doc__, f"{name}.{attribute}"
