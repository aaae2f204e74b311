"""Which workers an experiment asks Ray for, and what is said where no node can give it."""

from __future__ import annotations

import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from probe.cluster.crew import reachable
from probe.cluster.errors import NoCluster, NotOnRay, RayMissing
from probe.cluster.groups import Needs, Node, groups_of, lacking
from probe.cluster.joined import join
from probe.errors import SpecError
from probe.hub.members import ModelShares
from probe.pace import Pace
from probe.resolve import find
from probe.spec import Spec, parse_spec, read_spec
from store.hub_address import Address
from tests.probe.experiments_for_tests import probe, write_experiment
from tests.probe.hub_for_tests import free_port
from tests.probe.runs import no_progress

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs the ray extra")
FILE = """
name = "placed"
[[models]]
name = "far"
provider = "openai"
model = "m"
base_url = "http://127.0.0.1:9/v1"
[[models]]
name = "other"
provider = "openai"
model = "n"
base_url = "http://127.0.0.1:9/v1"
[[models]]
name = "big"
provider = "vllm"
model = "org/model"
serve = { tensor_parallel = 4 }
[[models]]
name = "small"
provider = "local"
model = "smollm2-135m"
[[tasks]]
name = "source_identification"
dataset = "excerpts"
path = "excerpts.jsonl"
"""


def spec(table: str = "") -> Spec:
    return parse_spec(FILE + table, Path("placed.toml"))


def test_endpoints_share_workers_and_each_model_with_weights_has_its_own() -> None:
    """A vLLM replica asks for the GPUs that share its model."""
    table = "[ray]\nworkers = 3\nnum_cpus = 2\nresources = { ssd = 1 }"
    file = spec(f"{table}\n[ray.models.big]\nworkers = 2")

    found = {group.name: group for group in groups_of(file.models, file.ray)}

    assert found["endpoints"].models == ("far", "other")
    assert [group.workers for group in found.values()] == [2, 1, 3]
    assert found["big"].needs.all == {"CPU": 2, "GPU": 4, "ssd": 1}
    assert found["small"].needs == found["endpoints"].needs
    assert found["small"].models == ("small",)


def test_a_model_of_the_table_has_workers_of_its_own_as_it_says() -> None:
    table = "[ray]\nworkers = 2\nnum_gpus = 1\n[ray.models.far]\nnum_cpus = 0.5\nnum_gpus = 0"
    file = spec(table + '\n[ray.models.big]\nnum_gpus = 8\nresources = { "node:a" = 0.1 }')

    found = {group.name: group for group in groups_of(file.models, file.ray)}

    assert found["far"].workers == 2
    assert found["far"].needs.all == {"CPU": 0.5}
    assert found["other"].models == ("other",)
    assert found["big"].needs.all == {"CPU": 1, "GPU": 8, "node:a": 0.1}


def test_the_table_is_no_part_of_an_experiments_identity(tmp_path: Path) -> None:
    """The same experiment with and without it."""
    ids = []
    for name in ("bare", "placed"):
        (tmp_path / name).mkdir()
        file = write_experiment(tmp_path / name, "http://127.0.0.1:9/v1")
        if name == "placed":
            table = "[ray]\nworkers = 7\n[ray.models.fake]\nnum_gpus = 2"
            file.write_text(f"{file.read_text()}\n{table}")
        with find(read_spec(file), file, no_progress).draw() as drawn:
            cells = [cell for block in drawn.blocks() for cell in block.cells]
            ids.append((drawn.experiment_id, [(cell.cell_id, cell.key) for cell in cells]))

    assert "ray" in tomllib.loads((tmp_path / "placed" / "small.toml").read_text())
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[ray.models.bgi]\nworkers = 2", "unknown model in ray.models 'bgi'; did you mean 'big'?"),
        ("[ray]\nworker = 2", "unknown key ray.worker; did you mean 'workers'?"),
        ("[ray]\nresources = { GPU = 1 }", "ray: resources may not set GPU; set num_gpus"),
        ("[ray]\nnum_gpus = 1.5", "ray: num_gpus is a part of one GPU, or a whole number of them"),
        ("[ray.models.big]\nnum_gpu = 1", "unknown key ray.models.big.num_gpu; did you mean"),
        ("[ray]\nresources = { a = 0 }", "ray.resources.a: input should be greater than 0"),
    ],
)
def test_what_the_table_cannot_say_is_named(table: str, said: str) -> None:
    with pytest.raises(SpecError) as caught:
        spec(table)

    assert said in str(caught.value)


def test_a_model_that_is_asked_in_batches_is_refused() -> None:
    file = parse_spec(FILE.replace('model = "n"', 'model = "n"\nmode = "batch"'), Path("x.toml"))

    with pytest.raises(NotOnRay, match="model other is asked in batches"):
        groups_of(file.models, file.ray)


NODES = [
    Node(name="10.0.0.1", resources={"CPU": 16, "memory": 9.0, "node:10.0.0.1": 1}),
    Node(name="10.0.0.2", resources={"CPU": 2, "GPU": 4, "ssd": 1}),
]


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        (Needs(cpus=16), ""),
        (Needs(cpus=2, gpus=4, resources={"ssd": 1}), ""),
        (Needs(cpus=0), ""),
        (
            Needs(gpus=8),
            "no node has 8 GPU (node 10.0.0.1: 16 CPU, 0 GPU; node 10.0.0.2: 2 CPU, 4 GPU, 1 ssd)",
        ),
        (
            Needs(cpus=8, gpus=1),
            "no node has 8 CPU, 1 GPU together"
            " (node 10.0.0.1: 16 CPU, 0 GPU; node 10.0.0.2: 2 CPU, 4 GPU, 1 ssd)",
        ),
        (
            Needs(resources={"hdd": 2}),
            "no node has 2 hdd (node 10.0.0.1: 16 CPU, 0 GPU, 0 hdd;"
            " node 10.0.0.2: 2 CPU, 4 GPU, 1 ssd, 0 hdd)",
        ),
    ],
)
def test_what_no_node_can_give_is_named_with_what_nodes_have(needs: Needs, said: str) -> None:
    assert lacking(needs, NODES) == said


def test_no_nodes_are_said_to_be_none() -> None:
    assert lacking(Needs(), []) == "no node has 1 CPU (there is no node)"


def test_ray_that_is_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)

    with pytest.raises(RayMissing) as caught:
        join("auto")

    assert str(caught.value) == (
        "--ray needs Ray, which is not installed; pip install 'gistprobe[ray]'"
    )


@needs_ray
@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("{port}", "it is no address of a cluster; write auto, local, or the head's host:port"),
        ("ray://127.0.0.1:{port}", "it is no address of a cluster"),
        (
            "127.0.0.1:{port}",
            "nobody answers there (Connection refused); start it with",
        ),
        ("127.0.0.1:99999", "it is no address of a cluster"),
    ],
)
def test_no_cluster_at_an_address_is_one_line_and_soon(where: str, said: str) -> None:
    address = where.format(port=free_port())

    with pytest.raises(NoCluster) as caught:
        join(address)

    assert str(caught.value).startswith(f"Ray at {address}: {said}")


@needs_ray
def test_no_cluster_leaves_no_store_behind(tmp_path: Path) -> None:
    """One line and the exit code of bad input."""
    file = write_experiment(tmp_path, "http://127.0.0.1:9/v1")
    done = probe("run", file, "--store", tmp_path / "s", "--ray", f"127.0.0.1:{free_port()}")

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("bound", "found"),
    [("0.0.0.0", "10.0.0.1"), ("::", "10.0.0.1"), ("10.9.9.9", "10.9.9.9")],  # noqa: S104
)
def test_a_hub_that_listens_everywhere_is_reached_at_its_node(bound: str, found: str) -> None:
    assert reachable(Address(bound, 1), "10.0.0.1") == Address(found, 1, plain=True)


def test_a_model_with_weights_has_its_limits_in_each_worker() -> None:
    """Each has a server of its own; an endpoint's are shared out."""
    wanted = {"a": 9, "b": 2}
    for each, told in ((True, [(4, 1.0), (2, 1.0)]), (False, [(2, 0.5), (2, 0.5)])):
        shares = ModelShares(pace=Pace(in_flight=4, window=4), each=each)
        assert [shares.tell(who, wanted) for who in "ab"] == told
        assert shares.tell("gone", wanted) == (0, 0.0)
