"""Small wrong changes of source code, one at a time: what a slip of the pen makes of an equation.

A mutant is a whole module with one operator, function, index, number, sign or line changed.
"""

import ast
from dataclasses import dataclass

OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}
"""@ and / are left: the other operators do not fit their shapes, or fail at once."""
FUNCTIONS = {"sin": "cos", "cos": "sin", "to_child": "to_parent", "to_parent": "to_child"}
PRODUCTS = {"cross", "outer"}
"""Of two vectors, in an order that matters."""
COMPARISONS = {ast.GtE: ast.Gt, ast.Lt: ast.GtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}


@dataclass(frozen=True)
class Place:
    """Where a module can be changed: the node's number in `ast.walk`'s order, and which of its changes."""

    module: str
    node: int
    variant: int


@dataclass(frozen=True)
class Mutant:
    """``function`` is the dotted name of where the change is, ``line`` the source line changed, ``change`` what to."""

    module: str
    function: str
    line: str
    change: str
    source: str

    def __str__(self) -> str:
        return f"{self.function}: {self.line}  -->  {self.change}"


def places(module: str, source: str) -> list[Place]:
    """Every place of a module."""
    nodes = enumerate(ast.walk(ast.parse(source)))
    return [Place(module, index, variant) for index, node in nodes for variant in range(_variants(node))]


def mutant(place: Place, source: str) -> Mutant:
    """The module with the change at one place."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[place.node]
    function = ".".join([place.module, *_around(tree, node)])
    before, line = ast.unparse(node), source.splitlines()[node.lineno - 1].strip()
    after = _mutate(tree, node, place.variant)
    return Mutant(place.module, function, line, f"{before} -> {after}", ast.unparse(ast.fix_missing_locations(tree)))


def _around(tree: ast.Module, node: ast.AST) -> list[str]:
    """The names of the classes and functions around a node, outermost first."""
    scopes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    return [scope.name for scope in scopes if any(inner is node for inner in ast.walk(scope))]


def _variants(node: ast.AST) -> int:
    """How many ways there are to change this node itself."""
    if isinstance(node, ast.BinOp):
        return (type(node.op) in OPERATORS) + 2 * isinstance(node.op, ast.Add | ast.Sub) + _is_turned(node)
    simple = (
        (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not))
        or (isinstance(node, ast.Call) and _called(node) in FUNCTIONS)
        or (isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS)
        or (isinstance(node, ast.Subscript) and _index(node) is not None)
        or (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or isinstance(node, ast.IfExp)
        or (isinstance(node, ast.Attribute) and node.attr == "T")
        or (isinstance(node, ast.Call) and _called(node) in PRODUCTS and _differ(node.args))
        or (isinstance(node, ast.If) and isinstance(node.test, ast.Name | ast.Attribute))
    )
    return int(simple)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _differ(arguments: list[ast.expr]) -> bool:
    """Whether it matters which of two arguments stands first."""
    return len(arguments) == 2 and ast.unparse(arguments[0]) != ast.unparse(arguments[1])


def _is_turned(node: ast.BinOp) -> bool:
    """Whether it is R x, for a rotation R that might as well be taken the other way round."""
    return isinstance(node.op, ast.MatMult) and isinstance(node.left, ast.Name) and node.left.id.startswith("R")


def _index(node: ast.Subscript) -> ast.Constant | None:
    """The first index that is a plain number from 0 to 2."""
    candidates = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for place in candidates:
        if isinstance(place, ast.Constant) and type(place.value) is int and place.value in (0, 1, 2):
            return place
    return None


def _mutate(tree: ast.AST, node: ast.AST, variant: int) -> str:
    """Change ``node`` in ``tree`` and return what it reads now."""
    new: ast.AST = node
    if isinstance(node, ast.BinOp):
        new = _other_operation(tree, node, variant)
    elif isinstance(node, ast.UnaryOp | ast.Attribute):
        new = node.operand if isinstance(node, ast.UnaryOp) else node.value
        _replace(tree, node, new)
    elif isinstance(node, ast.If):
        node.test = new = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Call) and _called(node) in PRODUCTS:
        node.args.reverse()
    elif isinstance(node, ast.Call):
        name = FUNCTIONS[_called(node)]
        if isinstance(node.func, ast.Name):
            node.func.id = name
        else:
            node.func.attr = name
    elif isinstance(node, ast.Compare):
        node.ops[0] = COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, ast.Subscript):
        place = _index(node)
        assert place is not None
        place.value = (place.value + 1) % 3
    elif isinstance(node, ast.Constant):
        node.value = node.value + 1.0 if node.value >= 0.01 or node.value == 0.0 else node.value * 1e12
    elif isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    return ast.unparse(new)


def _other_operation(tree: ast.AST, node: ast.BinOp, variant: int) -> ast.AST:
    if _is_turned(node):
        node.left = ast.Attribute(node.left, "T", ast.Load())
        return node
    if variant == 0:
        node.op = OPERATORS[type(node.op)]()
        return node
    term = node.left if variant == 1 else node.right  # the other one is dropped
    _replace(tree, node, term)
    return term


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list) and old in value:
                value[value.index(old)] = new
