"""``--write-map`` on large models: each pair is right, or left open with a note; never guessed."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

import pytest

from snd_server.running.map_proposal import Proposal, map_text, proposed_rules
from snd_server.running.weight_maps import renamed
from support.sampling import tries

Shape = tuple[int, ...]
H, F, V = 48, 192, 1000


def _bert(layers: int) -> tuple[dict[str, Shape], dict[str, str]]:
    """The weights of BERT as PyTorch names them, and the variables that they belong to."""
    found: dict[str, tuple[Shape, str]] = {
        "bert.embeddings.word_embeddings.weight": ((V, H), "embedded.token"),
        "bert.embeddings.position_embeddings.weight": ((F * 2, H), "embedded.position"),
        "bert.embeddings.LayerNorm.weight": ((H,), "embedded.norm.scale"),
        "bert.embeddings.LayerNorm.bias": ((H,), "embedded.norm.bias"),
    }
    for at in range(layers):
        here, there = f"bert.encoder.layer.{at}", f"layer{at + 1}"
        for each in ("query", "key", "value"):
            found[f"{here}.attention.self.{each}.weight"] = (H, H), f"{there}.attention.{each}.filter"
            found[f"{here}.attention.self.{each}.bias"] = (H,), f"{there}.attention.{each}.bias"
        found |= {
            f"{here}.attention.output.dense.weight": ((H, H), f"{there}.attention.projection.filter"),
            f"{here}.attention.output.dense.bias": ((H,), f"{there}.attention.projection.bias"),
            f"{here}.attention.output.LayerNorm.weight": ((H,), f"{there}.attention_norm.scale"),
            f"{here}.attention.output.LayerNorm.bias": ((H,), f"{there}.attention_norm.bias"),
            f"{here}.intermediate.dense.weight": ((F, H), f"{there}.feed_forward.inner.filter"),
            f"{here}.intermediate.dense.bias": ((F,), f"{there}.feed_forward.inner.bias"),
            f"{here}.output.dense.weight": ((H, F), f"{there}.feed_forward.outer.filter"),
            f"{here}.output.dense.bias": ((H,), f"{there}.feed_forward.outer.bias"),
            f"{here}.output.LayerNorm.weight": ((H,), f"{there}.feed_forward_norm.scale"),
            f"{here}.output.LayerNorm.bias": ((H,), f"{there}.feed_forward_norm.bias"),
        }
    return {name: shape for name, (shape, _) in found.items()}, {name: new for name, (_, new) in found.items()}


def _torchvision() -> tuple[dict[str, Shape], dict[str, str]]:
    """The weights of a residual network: 0-based blocks, and names that differ in their last words only."""
    found: dict[str, tuple[Shape, str]] = {"conv1.weight": ((64, 3, 7, 7), "stem.filter")}
    for stage in range(1, 5):
        for block in range(2 + stage):
            for conv in (1, 2):
                size = 64 << (stage - 1)
                here, there = f"layer{stage}.{block}", f"stage{stage}.block{block + 1}"
                found[f"{here}.conv{conv}.weight"] = (size, size, 3, 3), f"{there}.conv{conv}.filter"
                found[f"{here}.bn{conv}.weight"] = (size,), f"{there}.norm{conv}.scale"
                found[f"{here}.bn{conv}.bias"] = (size,), f"{there}.norm{conv}.offset"
                found[f"{here}.bn{conv}.running_mean"] = (size,), f"{there}.norm{conv}.mean"
                found[f"{here}.bn{conv}.running_var"] = (size,), f"{there}.norm{conv}.variance"
                found[f"{here}.bn{conv}.num_batches_tracked"] = (), ""
    found |= {"fc.weight": ((V, 512), "classifier.filter"), "fc.bias": ((V,), "classifier.bias")}
    return {name: shape for name, (shape, _) in found.items()}, {name: new for name, (_, new) in found.items() if new}


def _vgg() -> tuple[dict[str, Shape], dict[str, str]]:
    """Filters whose numbers count layers of other kinds, too: most have the same shape."""
    numbers = (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)
    found: dict[str, Shape] = {}
    truth: dict[str, str] = {}
    for at, number in enumerate(numbers):
        found |= {f"features.{number}.weight": (64, 64, 3, 3), f"features.{number}.bias": (64,)}
        truth |= {
            f"features.{number}.{one}": f"conv{at + 1}.{two}" for one, two in (("weight", "filter"), ("bias",) * 2)
        }
    return found, truth


def _applied(proposal: Proposal, weights: Mapping[str, Shape]) -> dict[str, str]:
    """The variables by weight, for rules that neither split nor join."""
    return {old: new for new, old in renamed({name: name for name in weights}, _plain(proposal)).items()}


def _plain(proposal: Proposal) -> tuple:
    from msgspec.structs import replace

    return tuple(replace(rule, transpose=None) for rule in proposal.rules)


def _shuffled(tensors: Mapping[str, Shape], seed: int) -> dict[str, Shape]:
    names = list(tensors)
    random.Random(seed).shuffle(names)
    return {name: tensors[name] for name in names}


@pytest.mark.parametrize(
    ("model", "rules"), [(_bert(12), 196), (_torchvision(), 183), (_vgg(), 26)], ids=["bert", "resnet", "vgg"]
)
@pytest.mark.parametrize("seed", range(3))
def test_all_pairs_of_a_model_are_right(model, rules, seed):
    """In whatever order the file has them."""
    weights, truth = model
    variables = _shuffled({new: weights[old] for old, new in truth.items()}, seed)
    proposal = proposed_rules(_shuffled(weights, seed + 10), variables)
    applied = _applied(proposal, weights)
    assert {old: new for old, new in applied.items() if old in truth} == truth
    assert len(truth) == rules
    assert [note for note in proposal.notes if note.startswith("open")] == []


def test_a_thousand_weights_take_a_moment():
    weights, truth = _bert(64)
    assert len(weights) > 1000
    start = time.process_time()
    proposal = proposed_rules(weights, {new: weights[old] for old, new in truth.items()})
    assert time.process_time() - start < 10
    assert _applied(proposal, weights) == truth


def test_many_weights_of_one_shape_with_names_that_tell_nothing():
    count = tries(300, 1000)
    weights = {f"{random.Random(at).getrandbits(64):x}": (4, 4) for at in range(count)}
    start = time.process_time()
    proposal = proposed_rules(weights, {f"layer{at}.filter": (4, 4) for at in range(count)})
    assert time.process_time() - start < 20
    assert proposal.rules == ()
    assert len(proposal.notes) == 1
    assert f"and {count - 5} more fit 'layer0.filter'" in proposal.notes[0]


def test_layers_that_are_counted_from_another_number_are_not_guessed():
    """11 of 12 layers have a number in one of the models; the remaining one is not guessed."""
    weights, truth = _bert(12)
    variables = {new.replace("layer12", "last"): weights[old] for old, new in truth.items()}
    applied = _applied(proposed_rules(weights, variables), weights)
    right = {old: new.replace("layer12", "last") for old, new in truth.items()}
    assert {old: new for old, new in applied.items() if new not in (old, right[old])} == {}


@pytest.mark.parametrize("seed", range(tries(20, 300)))
def test_no_pair_is_guessed(seed):
    """A part of the weights, or a part of the variables: whatever is proposed is right."""
    chance = random.Random(seed)
    weights, truth = chance.choice([_bert(3), _torchvision(), _vgg()])
    side = chance.choice([1.0, 0.6])  # what both models lack can't be told
    kept = [name for name in weights if chance.random() < 1.6 - side]
    variables = {new: weights[old] for old, new in truth.items() if chance.random() < side}
    proposal = proposed_rules(_shuffled({name: weights[name] for name in kept}, seed), _shuffled(variables, seed + 1))
    applied = _applied(proposal, {name: weights[name] for name in kept})
    wrong = {old: new for old, new in applied.items() if new != old and truth.get(old) != new}
    assert wrong == {}, map_text(proposal.rules, proposal.notes)


def test_two_candidates_of_one_shape_are_left_open():
    proposal = proposed_rules({"a": (4, 4), "b": (4, 4)}, {"x": (4, 4), "y": (4, 4)})
    assert proposal.rules == ()
    assert proposal.notes == ("open: 'a', 'b' fit 'x', 'y' by shape, and the names do not decide",)


def test_one_name_that_decides_does_not_decide_about_another():
    proposal = proposed_rules({"encoder.w": (4, 4), "b": (4, 4)}, {"encoder.filter": (4, 4), "y": (4, 4)})
    assert [(rule.source, rule.target) for rule in proposal.rules] == [("encoder.w", "encoder.filter")]
    assert proposal.notes[-1] == "open: 'b' has the shape of 'y', but another name"


def test_square_matrices_are_transposed_as_the_others_are():
    """A shape does not tell whether a square matrix is transposed: the other matrices of the file do."""
    keras = {"dense_1.kernel": (3, 8), "dense_2.kernel": (8, 8)}
    variables = {"linear1.filter": (8, 3), "linear2.filter": (8, 8)}
    proposal = proposed_rules(keras, variables)
    assert [(rule.target, rule.transpose) for rule in proposal.rules] == [("linear*.filter", (1, 0))]
    torch = {"fc1.weight": (8, 3), "fc2.weight": (8, 8)}
    assert {rule.transpose for rule in proposed_rules(torch, variables).rules} == {None}


def test_a_square_matrix_alone_gets_a_note():
    proposal = proposed_rules({"dense.kernel": (8, 8)}, {"linear.filter": (8, 8)})
    assert proposal.notes == (
        "check: 'dense.kernel' fits in two orders of dimensions, and no other weight tells which",
    )


def test_a_square_matrix_of_the_same_name_is_transposed_with_the_others():
    proposal = proposed_rules({"a.w": (3, 8), "b.w": (8, 8)}, {"a.w": (8, 3), "b.w": (8, 8)})
    found = {(rule.source, rule.target, rule.transpose) for rule in proposal.rules}
    assert found == {("a.w", "a.w", (1, 0)), ("b.w", "b.w", (1, 0))}


def test_filters_of_keras_are_transposed_though_another_one_fits_as_it_is():
    """``inner`` has the shape of the second kernel: the names of both tell nothing else."""
    keras = {"a.embeddings": (V, H), "b.kernel": (H, F), "c.kernel": (F, H), "d.kernel": (H, H)}
    variables = {"table": (V, H), "inner.filter": (F, H), "outer.filter": (H, F), "last.filter": (H, H)}
    found = {(rule.source, rule.target, rule.transpose) for rule in proposed_rules(keras, variables).rules}
    assert found == {
        ("a.embeddings", "table", None), ("b.kernel", "inner.filter", (1, 0)),
        ("c.kernel", "outer.filter", (1, 0)), ("d.kernel", "last.filter", (1, 0)),
    }  # fmt: skip


def test_projections_of_queries_keys_and_values_are_split_in_each_layer():
    weights: dict[str, Shape] = {}
    variables: dict[str, Shape] = {}
    for at in range(6):
        here, there = f"encoder.layers.{at}.self_attn", f"layer{at}.attention"
        weights |= {f"{here}.in_proj_weight": (3 * H, H), f"{here}.in_proj_bias": (3 * H,)}
        weights |= {f"{here}.out_proj.weight": (H, H), f"{here}.out_proj.bias": (H,)}
        for each in ("value", "query", "key", "output"):
            variables |= {f"{there}.{each}.filter": (H, H), f"{there}.{each}.bias": (H,)}
    proposal = proposed_rules(weights, variables)
    assert {(rule.source, rule.target) for rule in proposal.rules} == {
        ("encoder.layers.*.self_attn.out_proj.weight", "layer*.attention.output.filter"),
        ("encoder.layers.*.self_attn.out_proj.bias", "layer*.attention.output.bias"),
        (
            "encoder.layers.*.self_attn.in_proj_weight",
            tuple(f"layer*.attention.{each}.filter" for each in ("query", "key", "value")),
        ),
        (
            "encoder.layers.*.self_attn.in_proj_bias",
            tuple(f"layer*.attention.{each}.bias" for each in ("query", "key", "value")),
        ),
    }


def test_gates_in_an_unknown_order_are_left_open():
    """Frameworks store the gates of a cell in different orders."""
    parts = {f"cell.{gate}.filter": (4, 3) for gate in ("input", "forget", "update", "output")}
    proposal = proposed_rules({"lstm.weight_ih": (16, 3)}, parts)
    assert proposal.rules == ()
    assert proposal.notes == (
        "open: 'lstm.weight_ih' fits 'cell.input.filter', 'cell.forget.filter', 'cell.update.filter', "
        "'cell.output.filter' together, and nothing tells in which order",
    )


def test_a_star_does_not_catch_weights_of_other_rules():
    """``layer.*.weight`` would rename the third weight, too."""
    weights: dict[str, Shape] = {"layer.1.weight": (2, 3), "layer.2.weight": (2, 4), "layer.x.weight": (5, 5)}
    proposal = proposed_rules(weights, {"part1.filter": (2, 3), "part2.filter": (2, 4)})
    assert _applied(proposal, weights)["layer.x.weight"] == "layer.x.weight"


def test_names_cannot_break_the_file():
    note = "open: 'a\"\n[[rule]]' fits"
    assert map_text((), [note]) == "# open: 'a\"\\U0000000A[[rule]]' fits\n"
