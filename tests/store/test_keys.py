"""Cell keys: pinned values, and what changes them.

The pinned digests come from the shell: `printf '%s' TEXT | sha256sum`, over the texts below.
"""

from __future__ import annotations

import datetime
import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from store.keys import KEY_FIELDS, canonical, cell_key, digest

Fields = dict[str, object]

PLAIN: Fields = {
    "api": "chat",
    "endpoint": "http://127.0.0.1:8000/v1",
    "model": "org/model",
    "messages": [{"role": "user", "content": "Which work?"}],
    "params": {"temperature": 0.0, "max_tokens": 128},
    "sample": 0,
}
PLAIN_TEXT = (
    '{"api":"chat","endpoint":"http://127.0.0.1:8000/v1",'
    '"messages":[{"content":"Which work?","role":"user"}],"model":"org/model",'
    '"params":{"max_tokens":128,"temperature":0},"sample":0}'
)
ODD: Fields = {
    "sample": 4,
    "api": "chat",
    "endpoint": "sha256:00ff",
    "model": "m",
    "messages": ({"role": "user", "content": '“Zoë”\n"said"\t— é 😀'},),
    "params": {"top_p": 1.0, "temperature": 0.7, "stop": None},
}
ODD_TEXT = (
    '{"api":"chat","endpoint":"sha256:00ff",'
    '"messages":[{"content":"“Zoë”\\n\\"said\\"\\t— é 😀","role":"user"}],"model":"m",'
    '"params":{"stop":null,"temperature":0.7,"top_p":1},"sample":4}'
)
BARE: Fields = {
    "api": "chat", "endpoint": "e", "messages": [], "model": "", "params": {}, "sample": 1,
}  # fmt: skip
BARE_TEXT = '{"api":"chat","endpoint":"e","messages":[],"model":"","params":{},"sample":1}'

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab$é"), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("fields", "text", "sha256"),
    [
        (PLAIN, PLAIN_TEXT, "8d5e555a1841f92487db86a8ab048ae2c1fab558e2869c206292587310993563"),
        (ODD, ODD_TEXT, "a56f637c5aa6dc9425d2d68c414997e9cb7a54fd823c769397c74e913e2efb58"),
        (BARE, BARE_TEXT, "19134afb19a1d8a0023da34eac174d7bbee87f756297b73d939d913ffac55060"),
    ],
)
def test_keys_are_pinned(fields: Fields, text: str, sha256: str) -> None:
    """A key is the sha256 of this very text, on every machine and in every version."""
    assert canonical(fields) == text
    assert cell_key(fields) == sha256


def test_digests_are_pinned() -> None:
    """Hashes of items and prompts are made the same way."""
    value = {"b": 0.5, "a": [1.0, True, None, "é"]}

    assert canonical(value) == '{"a":[1,true,null,"é"],"b":0.5}'
    assert digest(value) == "63f4a8c1d3dd9570aec33dbae60c6f5ab71b06749b56e22a5b9839c4c8cf6575"


@pytest.mark.parametrize(("one", "other"), [(0, 0.0), (0, -0.0), (1, 1.0), (10**20, 1e20)])
def test_equal_numbers_are_written_alike(one: int, other: float) -> None:
    """How a file spells a number does not matter."""
    assert canonical({"t": [one]}) == canonical({"t": [other]})


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (0, None), (1, "1"), (0, 1e-9)])
def test_values_that_differ_are_written_apart(one: object, other: object) -> None:
    """A number is neither a truth value nor a text of the same looks."""
    assert canonical(one) != canonical(other)


@given(json_values)
def test_the_order_of_keys_does_not_matter(value: object) -> None:
    def turned(each: object) -> object:
        if isinstance(each, dict):
            return {key: turned(inner) for key, inner in reversed(each.items())}
        return [turned(inner) for inner in each] if isinstance(each, list) else each

    fields = PLAIN | {"params": {"z": value, "a": 1}}

    assert cell_key({key: turned(fields[key]) for key in reversed(fields)}) == cell_key(fields)


@pytest.mark.parametrize("strange", ["seed", "base_url", "Sample", ""])
def test_a_field_outside_the_allowlist_is_refused(strange: str) -> None:
    with pytest.raises(KeyError, match=f"not so \\['{strange}'\\]"):
        cell_key(PLAIN | {strange: 1})


@pytest.mark.parametrize("missing", sorted(KEY_FIELDS))
def test_a_missing_field_is_refused(missing: str) -> None:
    with pytest.raises(KeyError, match=f"not so \\['{missing}'\\]"):
        cell_key({name: value for name, value in PLAIN.items() if name != missing})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_lacks_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        cell_key(PLAIN | {"params": {"temperature": number}})


@given(st.sampled_from(sorted(KEY_FIELDS)), json_values)
def test_any_one_field_changes_the_key(name: str, value: object) -> None:
    """No field is left out of the key."""
    assume(canonical(value) != canonical(PLAIN[name]))

    assert cell_key(PLAIN | {name: value}) != cell_key(PLAIN)


@given(json_values)
def test_canonical_json_is_what_the_standard_library_writes(value: object) -> None:
    """Keys hang on every byte, and two encoders are used: by what a value holds."""
    # Equal numbers are written alike, which the standard library does not do of itself.
    plain = json.loads(canonical(value))

    written = json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )

    assert canonical(value) == written


@pytest.mark.parametrize("strange", [2**70, -(2**70), 1e-7, 1.5e300, "\ud800", "\x7f\u2028<é>\x00"])
def test_canonical_json_is_the_standard_librarys_for_what_is_rare(strange: object) -> None:
    assert canonical([strange]) == json.dumps(
        [int(strange) if isinstance(strange, float) and strange.is_integer() else strange],
        separators=(",", ":"),
        ensure_ascii=False,
    )


@pytest.mark.parametrize("strange", [datetime.date(2026, 1, 2), b"x", {1, 2}, object()])
def test_what_json_does_not_have_is_refused(strange: object) -> None:
    with pytest.raises(TypeError, match="JSON has no"):
        canonical({"params": [strange]})
