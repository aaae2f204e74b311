"""Events of every kind, as hypothesis draws them: NUL, line ends, quotes, marks, emoji."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from store.keys import canonical
from store.rows import (
    AttemptRow,
    Event,
    ExperimentRow,
    FailureRow,
    LikelihoodRow,
    ModelRow,
    RepeatRow,
    ReplyRow,
    RunEndRow,
    RunRow,
    ServedRow,
)

integers = st.integers(-(2**63) + 1, 2**63 - 1)
latencies = st.floats(0, 1e6)
times = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
texts = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["", "\0", "a\nb\r\n", "\u2028\u2029\x85\x1e", "\ufeff{", '"\\"', "😀", "\\ud83d"]
)
maybe = st.none() | texts
jsons = texts.map(canonical)
ints = st.lists(st.none() | st.integers(-(2**31) + 1, 2**31 - 1), max_size=5).map(tuple)
floats = st.lists(
    st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=5
).map(tuple)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        AttemptRow,
        key=texts,
        run_id=texts,
        attempt=integers,
        started_at=times,
        latency_s=latencies,
        status=st.none() | integers,
        error_kind=maybe,
        error=maybe,
        usd=st.none() | latencies,
        usd_at_most=st.none() | latencies,
        request_id=maybe,
    ),
    st.builds(
        ReplyRow,
        key=texts,
        run_id=texts,
        outcome=texts,
        text=maybe,
        finish_reason=maybe,
        served_model=maybe,
        fingerprint=maybe,
        prompt_tokens=st.none() | integers,
        reply_tokens=st.none() | integers,
        attempts=integers,
        latency_s=latencies,
        received_at=times,
        raw=texts,
        reasoning=maybe,
        reasoning_tokens=st.none() | integers,
        cached_tokens=st.none() | integers,
    ),
    st.builds(
        FailureRow,
        key=texts,
        run_id=texts,
        attempts=integers,
        kind=texts,
        error=texts,
        permanent=st.booleans(),
        failed_at=times,
    ),
    st.builds(
        LikelihoodRow,
        key=texts,
        run_id=texts,
        offsets=ints,
        logprobs=floats,
        token_ids=st.none() | ints,
        ranks=st.none() | ints,
        means=st.none() | floats,
        variances=st.none() | floats,
        exact=st.booleans(),
    ),
    st.builds(
        RepeatRow,
        key=texts,
        run_id=texts,
        asked_at=times,
        same=st.booleans(),
        text=maybe,
        served_model=maybe,
        fingerprint=maybe,
    ),
    st.builds(
        ServedRow, run_id=texts, model=texts, opened_at=times, facts=jsons, unavailable=jsons
    ),
    st.builds(RunRow, run_id=texts, experiment_id=texts, started_at=times, provenance=jsons),
    st.builds(RunEndRow, run_id=texts, ended_at=times, how=texts, asked=integers, failed=integers),
    st.builds(
        ExperimentRow,
        experiment_id=texts,
        experiment=texts,
        seed=integers,
        spec=texts,
        cells=integers,
        planned_at=times,
        items=st.none() | integers,
    ),
    st.builds(
        ModelRow, experiment_id=texts, model=texts, provider=texts, identity=jsons, note=maybe
    ),
)
