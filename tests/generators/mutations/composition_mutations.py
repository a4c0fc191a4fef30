"""Mutations of compositions (2.10, 2.11, 2.14): statements, invocations, control flow, quantization."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from generators.mutations.mutation import Mutation, Verdict, mutation, without
from generators.mutations.subject import Subject
from snd_analysis.base import Span
from snd_analysis.skriptnd.names import BuiltIn, OperatorName, SymbolKind
from snd_analysis.skriptnd.syntax import nodes

_VALUES = {"int": "1", "real": "1.5", "bool": "true", "str": "'a'"}


def statements(subject: Subject) -> Iterator[Mutation]:
    """Yield programs with statements dropped and repeated, and results dropped and added."""
    for component in subject.every(nodes.Component):
        assert isinstance(component, nodes.Component)
        block = subject.block_of(component)
        symbols = [symbol for symbol in map(subject.symbol, _named(component)) if symbol is not None]
        if not symbols:
            continue
        used = [symbol for symbol in symbols if subject.uses(symbol) or symbol.kind is SymbolKind.OUTPUT]
        span = _whole(subject, component)
        text = subject.text[span.start : span.end]
        uses = sum(len(subject.uses(symbol)) for symbol in symbols)
        names = [each.name for each in subject.resolution.symbols]
        sure = any(names.count(each.name) == 1 for each in used) and block == "compose"
        yield mutation("drop statement", Verdict.MUST if sure else Verdict.MAY, (span, ""), places=uses + len(used))
        labels = sum(isinstance(node, nodes.Labelled) for node in nodes.descendants(component))
        yield mutation("statement twice", Verdict.MUST, (span, f"{text} {text}"), places=len(symbols) + labels)
        yield from _results(subject, component)


def _named(component: nodes.Component) -> Iterator[nodes.Node]:
    for result in component.results:
        for item in result.items if isinstance(result, nodes.ResultList) else (result,):
            if isinstance(item, nodes.ResultTuple):
                yield from item.names
            else:
                yield item.target


def _results(subject: Subject, component: nodes.Component) -> Iterator[Mutation]:
    spans = [subject.span(result) for result in component.results]
    yield mutation("one result more", Verdict.MUST, (Span(spans[-1].end, spans[-1].end), ", zz"))
    for at, result in enumerate(component.results):
        symbols = [
            symbol for symbol in (subject.symbol(node) for node in nodes.descendants(result)) if symbol is not None
        ]
        uses = sum(len(subject.uses(symbol)) + (symbol.kind is SymbolKind.OUTPUT) for symbol in symbols)
        if len(spans) > 1:
            yield mutation("one result less", Verdict.MUST, without(spans, at), places=uses + 1)
        if isinstance(result, nodes.Result) and isinstance(result.target, nodes.Name) and symbols:
            verdict = Verdict.MUST if uses and symbols[0].kind is not SymbolKind.VARIABLE else Verdict.MAY
            yield mutation("result omitted", verdict, (spans[at], "~"), places=uses)
            yield mutation(
                "result twice",
                Verdict.MUST,
                (spans[at], f"{subject.spelled(result)}, {subject.spelled(result)}"),
                places=2,
            )
            invoked = isinstance(component.value, nodes.Call)
            if result.pack is not None:
                verdict = Verdict.MUST if invoked else Verdict.MAY
                yield mutation("result without length", verdict, (subject.span(result.pack), ""))
            elif result.type is None and invoked:
                yield mutation("single result with length", Verdict.MUST, (Span(spans[at].end, spans[at].end), "..(2)"))
                yield mutation("single result as list", Verdict.MUST, (spans[at], f"[{subject.spelled(result)}, zz]"))


def _signature(subject: Subject, call: nodes.Call | nodes.Quantization) -> dict[str, list[nodes.Parameter]] | None:
    name = call.function if isinstance(call, nodes.Call) else call.algorithm
    target = subject.resolution.targets.get(name)
    definition = subject.context.others.definition(target) if isinstance(target, OperatorName) else None
    if definition is None:
        return None
    return {
        block.kind: [entry.statement for entry in block.entries if isinstance(entry.statement, nodes.Parameter)]
        for block in definition.blocks
        if isinstance(block, nodes.Block)
    }


def _generic_count(subject: Subject, call: nodes.Call) -> tuple[int, str]:
    target = subject.resolution.targets[call.function]
    assert isinstance(target, OperatorName)
    definition = subject.context.others.definition(target)
    assert definition is not None
    found = [
        entry.statement for block in definition.blocks if isinstance(block, nodes.Block) and block.kind == "dtype"
        for entry in block.entries if isinstance(entry.statement, nodes.DtypeDeclaration)
    ]  # fmt: skip
    return len(found), found[0].base.text if found else ""


def invocations(subject: Subject) -> Iterator[Mutation]:
    """Yield changes of arguments, attributes and types of invocations."""
    for call in subject.every(nodes.Call):
        assert isinstance(call, nodes.Call)
        if isinstance(subject.resolution.targets.get(call.function), BuiltIn):
            yield from _built_in(subject, call)
            continue
        signature = _signature(subject, call)
        if signature is None:
            continue
        yield from _arguments(subject, call, signature.get("input", []))
        yield from _attributes(subject, call, signature.get("attrib", []))
        count, base = _generic_count(subject, call)
        at = subject.span(call.function).end
        if call.generics is None:
            types = ", ".join(["int"] * (count + 1))
            yield mutation("too many types", Verdict.MUST, (Span(at, at), f"<{types}>"))
            if base in ("num", "arith"):
                yield mutation("type outside base", Verdict.MUST, (Span(at, at), "<str>"))
        elif base in ("num", "arith"):
            yield mutation("type outside base", Verdict.MUST, (subject.span(call.generics.items[0]), "str"))


def _built_in(subject: Subject, call: nodes.Call) -> Iterator[Mutation]:
    span = subject.span(call.arguments[0])
    yield mutation("two arguments of a function", Verdict.MUST, (Span(span.end, span.end), ", 1.0"))
    yield mutation("argument of other type", Verdict.MUST, (span, "'a'"))
    yield mutation("argument of other type", Verdict.MUST, (span, "true"))


def _arguments(subject: Subject, call: nodes.Call, inputs: list[nodes.Parameter]) -> Iterator[Mutation]:
    spans = [subject.span(argument) for argument in call.arguments]
    required = [parameter for parameter in inputs if not parameter.optional and parameter.default is None]
    if spans:
        short = len(spans) - 1 < len(required)
        for at in range(len(spans)):
            change = without(spans, at) if len(spans) > 1 else (spans[0], "")
            yield mutation("one argument less", Verdict.MUST if short else Verdict.MAY, change)
        end = spans[-1].end
        full = len(spans) == len(inputs)
        yield mutation("one argument more", Verdict.MUST if full else Verdict.MAY, (Span(end, end), ", 1.0"))
    for argument, parameter, span in zip(call.arguments, inputs, spans, strict=False):
        if parameter in required and not isinstance(argument, nodes.Tilde):
            yield mutation("argument omitted", Verdict.MUST, (span, "~"))
        if parameter.type.is_keyword:
            other = "'a'" if parameter.type.text != "str" else "1"
            yield mutation("argument of other type", Verdict.MUST, (span, other))
        if parameter.pack is None and isinstance(argument, nodes.Qualified):
            yield mutation("packed argument", Verdict.MUST, (span, f"[{argument.text}]"))
        if parameter.pack is not None and isinstance(argument, nodes.Qualified):
            yield mutation("single argument", Verdict.MUST, (span, f"{argument.text}[0]"))
        yield mutation("nested invocation", Verdict.MUST, (span, subject.spelled(call)))


def _attributes(subject: Subject, call: nodes.Call, declared: list[nodes.Parameter]) -> Iterator[Mutation]:
    items = call.attributes.items if call.attributes is not None else ()
    spans = [subject.span(item) for item in items]
    known = {parameter.name.text: parameter for parameter in declared}
    tensor = next(
        (each.name for each in subject.resolution.symbols if each.kind is SymbolKind.INPUT and each.name), None
    )
    if not items:
        at = subject.span(call.generics or call.function).end
        yield mutation("unknown attribute", Verdict.MUST, (Span(at, at), "{zz_other=1}"))
        return
    yield mutation("unknown attribute", Verdict.MUST, (Span(spans[-1].end, spans[-1].end), ", zz_other=1"))
    if len(items) > 1:
        swapped = (spans[0], subject.spelled(items[1])), (spans[1], subject.spelled(items[0]))
        yield mutation("swap attributes", Verdict.LEGAL, *swapped)
    for at, item in enumerate(items):
        parameter = known.get(item.name.text)
        if parameter is None:
            continue
        required = not parameter.optional and parameter.default is None
        assert call.attributes is not None
        change = without(spans, at) if len(items) > 1 else (subject.span(call.attributes), "")
        yield mutation("drop attribute", Verdict.MUST if required else Verdict.MAY, change)
        yield mutation(
            "attribute twice", Verdict.MUST, (Span(spans[-1].end, spans[-1].end), f", {subject.spelled(item)}")
        )
        name_end, value = subject.span(item.name).end, subject.span(item.value)
        yield mutation("colon in invocation", Verdict.MUST, (Span(name_end, value.start), ": "))
        if parameter.type.is_keyword:
            for name, text in _VALUES.items():
                if name != parameter.type.text:
                    yield mutation("attribute of other type", Verdict.MUST, (value, text))
        if parameter.pack is None:
            yield mutation("packed attribute", Verdict.MUST, (value, f"[{subject.spelled(item.value)}]"))
        if tensor is not None:
            yield mutation("tensor as attribute", Verdict.MUST, (value, tensor))


def control_flow(subject: Subject) -> Iterator[Mutation]:
    """Yield changes of conditions, yields, carried variables, scans and counts."""
    for region in subject.every(nodes.Region):
        assert isinstance(region, nodes.Region)
        for item in region.items:
            if not isinstance(item, nodes.Yield):
                continue
            yield mutation("drop yield", Verdict.MUST, (_with_semicolon(subject, item), ""), places=2)
            spans = [subject.span(value) for value in item.values]
            yield mutation(
                "one yield more",
                Verdict.MUST,
                (spans[-1], f"{subject.spelled(item.values[-1])}, {subject.spelled(item.values[-1])}"),
            )
            if len(spans) > 1:
                yield mutation("one yield less", Verdict.MUST, without(spans, 0))
            end = _with_semicolon(subject, item).end
            yield mutation("statement behind yield", Verdict.MUST, (Span(end, end), " zz = 1;"))
    for case in subject.every(nodes.Case):
        assert isinstance(case, nodes.Case)
        yield mutation("condition no bool", Verdict.MUST, (subject.span(case.condition), "1"), places=2)
        yield mutation("condition is a string", Verdict.MUST, (subject.span(case.condition), "'a'"), places=2)
    for branch in subject.every(nodes.Branch):
        assert isinstance(branch, nodes.Branch)
        yield mutation("branch of other type", Verdict.MUST, (subject.span(branch.alternative), "'a'"))
    for loop in subject.every(nodes.Loop):
        assert isinstance(loop, nodes.Loop)
        yield from _loop(subject, loop)


def _with_semicolon(subject: Subject, node: nodes.Node) -> Span:
    span = subject.span(node)
    end = subject.text.index(";", span.end - 1) + 1
    return Span(span.start, end)


def _whole(subject: Subject, component: nodes.Component) -> Span:
    """Return the span of a statement with its semicolon."""
    above = subject.above(component)
    return subject.span(above) if isinstance(above, nodes.Entry) else _with_semicolon(subject, component)


def _loop(subject: Subject, loop: nodes.Loop) -> Iterator[Mutation]:
    keyword = subject.span(loop.keyword)
    counted = loop.iteration is not None and loop.iteration.count is not None
    if loop.conditions:
        if loop.keyword.text == "do":
            yield mutation("unroll with while", Verdict.MUST, (keyword, "unroll"))
        first = loop.conditions[0]
        verdict = Verdict.MUST if not loop.scans and not counted else Verdict.MAY
        yield mutation("loop without end", verdict, (subject.span(first), ""))
        yield mutation("condition no bool", Verdict.MUST, (subject.span(first.condition), "1"))
        yield mutation(
            "two conditions",
            Verdict.MUST,
            (subject.span(first), f"{subject.spelled(first)} {subject.spelled(first)}"),
            places=2,
        )
    if loop.iteration is not None and loop.iteration.count is not None:
        for text in ("1.5", "true", "[1, 2]"):
            yield mutation("count no int", Verdict.MUST, (subject.span(loop.iteration.count), text))
    carries = [subject.span(carry) for carry in loop.carries]
    for at, carry in enumerate(loop.carries):
        symbol = subject.symbol(carry.name)
        uses = 0 if symbol is None else len(subject.uses(symbol))
        if len(carries) > 1:
            yield mutation(
                "drop carried variable", Verdict.MUST if uses else Verdict.MAY, without(carries, at), places=uses + 1
            )
        text = subject.spelled(carry)
        yield mutation("carried variable twice", Verdict.MUST, (carries[at], f"{text}, {text}"))
        yield mutation("carried value of other type", Verdict.MUST, (subject.span(carry.value), "'a'"), places=uses + 2)
        if carry.type is not None:
            other = "bool" if carry.type.type.text != "bool" else "int"
            yield mutation(
                "carried variable of other type", Verdict.MUST, (subject.span(carry.type.type), other), places=uses + 1
            )
    scans = [subject.span(scan) for scan in loop.scans]
    for at, scan in enumerate(loop.scans):
        symbol = subject.symbol(scan.name)
        uses = 0 if symbol is None else len(subject.uses(symbol))
        if len(scans) > 1:
            yield mutation("drop scan", Verdict.MUST if uses else Verdict.MAY, without(scans, at), places=max(uses, 1))
        text = subject.spelled(scan)
        yield mutation("scan twice", Verdict.MUST, (scans[at], f"{text}, {text}"))
        yield mutation("scan of a single value", Verdict.MUST, (subject.span(scan.value), "1.0"))


def labels(subject: Subject) -> Iterator[Mutation]:
    """Two invocations of one label."""
    found = subject.every(nodes.Labelled)
    for first, second in pairwise(found):
        assert isinstance(first, nodes.Labelled)
        assert isinstance(second, nodes.Labelled)
        branched = any(isinstance(above, nodes.Branch) for _, above in subject.chain(second))
        verdict = Verdict.MAY if branched else Verdict.MUST
        yield mutation("label twice", verdict, (subject.span(second.label), first.label.text), places=2)


def quantization(subject: Subject) -> Iterator[Mutation]:
    """Yield changes of names, algorithms and attributes in ``@quantize``."""
    for node in subject.every(nodes.Quantization):
        assert isinstance(node, nodes.Quantization)
        target = subject.span(node.target)
        yield mutation("unknown quantized tensor", Verdict.MUST, (subject.span(node.target.parts[-1]), "zz_other"))
        yield mutation("unknown algorithm", Verdict.MUST, (subject.span(node.algorithm.parts[-1]), "zz_other"))
        yield mutation(
            "quantization with arguments", Verdict.MUST, (Span(subject.span(node).end, subject.span(node).end), "(1)")
        )
        attribute = next((each for each in subject.resolution.symbols if each.kind is SymbolKind.ATTRIBUTE), None)
        if attribute is not None:
            yield mutation("attribute quantized", Verdict.MUST, (target, attribute.name))
        signature = _signature(subject, node)
        known = {parameter.name.text: parameter for parameter in (signature or {}).get("attrib", [])}
        for item in node.attributes.items if node.attributes is not None else ():
            yield mutation("unknown attribute", Verdict.MUST, (subject.span(item.name), "zz_other"))
            parameter = known.get(item.name.text)
            if parameter is not None and parameter.type.is_keyword and parameter.type.text != "str":
                yield mutation("attribute of other type", Verdict.MUST, (subject.span(item.value), "'a'"))


def imports(subject: Subject) -> Iterator[Mutation]:
    """Yield removals of imports of used modules."""
    start = subject.text.find("import ")
    if start < 0 or subject.text.rfind("\n", 0, start) + 1 != start:
        return
    modules = [target.path for target in subject.resolution.targets.values() if isinstance(target, OperatorName)]
    used = any(path != subject.path for path in modules)
    end = subject.text.index(";", start) + 1
    yield mutation("drop import", Verdict.MUST if used else Verdict.MAY, (Span(start, end), ""), places=99)


OPERATORS = (statements, invocations, control_flow, labels, quantization, imports)
