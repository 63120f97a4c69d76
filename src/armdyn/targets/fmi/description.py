"""``modelDescription.xml``: the description of the FMU for importers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from armdyn._version import __version__
from armdyn.targets.fmi.code import Code
from armdyn.targets.fmi.layout import FmiLayout, VariablePlace
from armdyn.targets.fmi.units import DISPLAYED, UNITS

Attributes = Mapping[str, str]

OF_ROLE: Mapping[str, Attributes] = {
    "OF_TIME": {"causality": "independent", "variability": "continuous"},
    "OF_STEP": {"causality": "parameter", "variability": "fixed", "initial": "exact"},
    "OF_STATES": {"causality": "output", "variability": "continuous", "initial": "exact"},
    "OF_INPUTS": {"causality": "input", "variability": "continuous"},
    "OF_PARAMETERS": {"causality": "parameter", "variability": "tunable", "initial": "exact"},
    "OF_RATES": {"causality": "local", "variability": "continuous", "initial": "calculated"},
    "OF_OUTPUTS": {"causality": "output", "variability": "continuous", "initial": "calculated"},
}
"""Causality, variability and initial of the variables of a continuous system."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow, but names of robots may contain."""

CATEGORIES = {
    "logStatusError": "What the FMU refuses, and why.",
    "logStatusDiscard": "What it cannot calculate at a state.",
}


def model_description(code: Code) -> str:
    """The text of the file."""
    layout, system = code.layout, code.layout.system
    root = Element(
        "fmiModelDescription",
        fmiVersion="3.0",
        modelName=system.name,
        instantiationToken=code.token,
        description=system.description,
        version=code.token.strip("{}"),
        generationTool=f"armdyn {__version__}",
        variableNamingConvention="structured",
    )
    _interfaces(root, code)
    _units(root, layout)
    categories = SubElement(root, "LogCategories")
    for name, text in CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=text)
    SubElement(root, "DefaultExperiment", startTime="0", stopTime="1", stepSize=_number(system.step))
    variables = SubElement(root, "ModelVariables")
    for place in layout.variables:
        _variable(variables, place, sampled=system.sampled)
    _structure(root, code)
    return _text(root)


def _interfaces(root: Element, code: Code) -> None:
    system = code.layout.system
    can = dict.fromkeys(("canGetAndSetFMUState", "canSerializeFMUState", "providesPerElementDependencies"), "true")
    if code.derivatives:
        can |= dict.fromkeys(("providesDirectionalDerivatives", "providesAdjointDerivatives"), "true")
    if not system.sampled:
        SubElement(root, "ModelExchange", {"modelIdentifier": code.name} | can)
    steps = {"canHandleVariableCommunicationStepSize": "true"}
    if system.sampled:
        steps["fixedInternalStepSize"] = _number(system.step)
    SubElement(root, "CoSimulation", {"modelIdentifier": code.name} | can | steps)


def _units(root: Element, layout: FmiLayout) -> None:
    used = sorted({place.variable.unit for place in layout.variables} - {""})
    definitions = SubElement(root, "UnitDefinitions")
    for name in used:
        unit = SubElement(definitions, "Unit", name=name)
        SubElement(unit, "BaseUnit", {base: str(power) for base, power in UNITS[name].items()})
        if name in DISPLAYED:
            display, factor = DISPLAYED[name]
            SubElement(unit, "DisplayUnit", name=display, factor=repr(factor))


def _variable(variables: Element, place: VariablePlace, *, sampled: bool) -> None:
    attributes = {"name": place.name, "valueReference": str(place.reference), **OF_ROLE[place.role]}
    if place.is_output:
        attributes["causality"] = "output"
    if sampled and attributes["causality"] == "output":
        attributes["variability"] = "discrete"
    if place.variable.description:
        attributes["description"] = place.variable.description
    if place.variable.unit:
        attributes["unit"] = place.variable.unit
    if place.variable.unit in DISPLAYED:
        attributes["displayUnit"] = DISPLAYED[place.variable.unit][0]
    if place.state is not None:
        attributes["derivative"] = str(place.state)
    if place.start:
        attributes["start"] = " ".join(map(_number, place.start))
    if place.role == "OF_TIME":
        del attributes["start"]
    element = SubElement(variables, "Float64", attributes)
    for length in place.shape:
        SubElement(element, "Dimension", start=str(length))


def _structure(root: Element, code: Code) -> None:
    """Append the outputs, derivatives and initial unknowns, with their dependencies."""
    structure = SubElement(root, "ModelStructure")
    places = code.layout.variables
    roles = {"OF_TIME", "OF_INPUTS", "OF_STATES"} - ({"OF_STATES"} if code.layout.system.sampled else set())
    references = {place.reference for place in places if place.role in roles}
    for place in places:
        if place.is_output:
            _unknown(structure, "Output", place, code, references)
    for place in places:
        if place.role == "OF_RATES":
            _unknown(structure, "ContinuousStateDerivative", place, code, references)
    references = {place.reference for place in places if place.is_known and place.role != "OF_STEP"}
    for place in places:
        if not place.is_known:
            _unknown(structure, "InitialUnknown", place, code, references)


def _unknown(structure: Element, tag: str, place: VariablePlace, code: Code, knowns: Collection[int]) -> None:
    depends = {cause: kind for cause, kind in _of(place, code.depends).items() if cause in knowns}
    attributes = {"valueReference": str(place.reference), "dependencies": " ".join(map(str, depends))}
    if depends:
        attributes["dependenciesKind"] = " ".join(depends.values())
    SubElement(structure, tag, attributes)


def _of(place: VariablePlace, depends: Mapping[int, Sequence[tuple[int, bool]]]) -> dict[int, str]:
    """The variables on which a variable depends, and the kind of each dependency; a state depends on itself."""
    if place.is_known:
        return {place.reference: "constant"}
    result: dict[int, str] = {}
    for cause, is_constant in sorted(depends.get(place.reference, ())):
        if not is_constant or cause not in result:
            result[cause] = "constant" if is_constant else "dependent"
    return result


def build_description(code: Code, sources: Iterable[str]) -> str:
    """``sources/buildDescription.xml``, the build instructions for an importer."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    build = SubElement(root, "BuildConfiguration", modelIdentifier=code.name)
    files = SubElement(build, "SourceFileSet", language="C99")
    for name in sources:
        SubElement(files, "SourceFile", name=name)
    if code.needs_libm:
        SubElement(build, "Library", name="m")
    return _text(root)


def _number(x: float) -> str:
    return repr(float(x))


def _text(root: Element) -> str:
    indent(root)
    text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", tostring(root, encoding="unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
