"""The C function of `armdyn.targets.native.work_queue` as LLVM IR.

It is an inner loop as NumPy calls it, ``void armdyn_share(char **args, intptr_t *dimensions, intptr_t *steps, void
*plan)``, that shares a large batch with helpers. Called without ``args`` it is a helper's part: then ``plan`` is the
queue and ``dimensions`` the number of iterations it spins.

Words of a plan: the queue, the most helpers, the inner loop that computes, the number of its arguments and results,
the fewest states worth a thread. Words of a queue, each on a cache line of its own: the current job, the number of
jobs so far, the helpers inside one, the flag of a leader. Words of a job, which lies on its leader's stack: the atomic
counter of states claimed, the free places for helpers, states, states per chunk, inner loop, number of arrays, their
addresses, and the steps.

A helper counts itself in before it reads the job; the leader removes the job before it reads that count. All four are
``seq_cst``, so no helper is inside a job whose leader has returned.
"""

from __future__ import annotations

ENTRY = "armdyn_share"

NUMBER, INSIDE, LEADING = 8, 16, 24
QUEUE_WORDS = 32

MOST_ARRAYS = 64
"""The most arguments and results of a loop together, as in NumPy."""

LONGEST_STAY = 64
"""The number of jobs after which a helper returns to Python, which may be shutting down."""

CHUNKS = 16
"""The number of chunks of a thread's share. The thread that finishes first claims the next one, which balances slow
cores and late starts."""

GROUP = 16
"""The most states that a loop computes together; a chunk contains whole groups."""


def queue_ir(triple: str) -> str:
    """The module with the function `ENTRY`."""
    pause = _pause(triple)
    return f"""\
target triple = "{triple}"

declare i64 @llvm.umin.i64(i64, i64)
{pause.replace("call", "declare").replace("i32 15", "i32")}
{_WORK}
{_lead(pause)}
{_help(pause)}
{_BATCH}
define void @{ENTRY}(ptr %args, ptr %dimensions, ptr %steps, ptr %plan) nounwind {{
entry:
  %is.helper = icmp eq ptr %args, null
  br i1 %is.helper, label %helper, label %caller
helper:
  %spins = ptrtoint ptr %dimensions to i64
  call void @help(ptr %plan, i64 %spins)
  ret void
caller:
  call void @batch(ptr %args, ptr %dimensions, ptr %steps, ptr %plan)
  ret void
}}
"""


def _pause(triple: str) -> str:
    """The processor's hint instruction for a spinning thread."""
    if triple.startswith("x86_64"):
        return "call void @llvm.x86.sse2.pause()"
    if triple.startswith(("aarch64", "arm64")):
        return "call void @llvm.aarch64.isb(i32 15)"
    return ""


# @work claims chunks until all are claimed.
_WORK = f"""
%job = type {{ i64, i64, i64, i64, ptr, i64, ptr, ptr }}

define internal void @work(ptr %job) nounwind {{
entry:
  %states.at = getelementptr %job, ptr %job, i32 0, i32 2
  %states = load i64, ptr %states.at
  %chunk.at = getelementptr %job, ptr %job, i32 0, i32 3
  %chunk = load i64, ptr %chunk.at
  %loop.at = getelementptr %job, ptr %job, i32 0, i32 4
  %loop = load ptr, ptr %loop.at
  %arrays.at = getelementptr %job, ptr %job, i32 0, i32 5
  %arrays = load i64, ptr %arrays.at
  %addresses.at = getelementptr %job, ptr %job, i32 0, i32 6
  %addresses = load ptr, ptr %addresses.at
  %steps.at = getelementptr %job, ptr %job, i32 0, i32 7
  %steps = load ptr, ptr %steps.at
  %own = alloca [{MOST_ARRAYS} x ptr]
  %count.at = alloca i64
  br label %next
next:
  %first = atomicrmw add ptr %job, i64 %chunk monotonic
  %is.left = icmp slt i64 %first, %states
  br i1 %is.left, label %take, label %done
take:
  %left = sub i64 %states, %first
  %count = call i64 @llvm.umin.i64(i64 %left, i64 %chunk)
  store i64 %count, ptr %count.at
  br label %array
array:
  %k = phi i64 [ 0, %take ], [ %k.next, %array ]
  %address.at = getelementptr ptr, ptr %addresses, i64 %k
  %address = load ptr, ptr %address.at
  %step.at = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %step.at
  %distance = mul i64 %first, %step
  %start = getelementptr i8, ptr %address, i64 %distance
  %own.at = getelementptr ptr, ptr %own, i64 %k
  store ptr %start, ptr %own.at
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %arrays
  br i1 %more, label %array, label %compute
compute:
  call void %loop(ptr %own, ptr %count.at, ptr %steps, ptr %states.at)
  br label %next
done:
  ret void
}}
"""


def _lead(pause: str) -> str:
    """``@lead`` publishes a job, works on it, and returns when it is finished and no helper is inside."""
    return f"""
define internal void @lead(ptr %queue, ptr %job) nounwind {{
entry:
  %number = getelementptr i64, ptr %queue, i64 {NUMBER}
  %inside = getelementptr i64, ptr %queue, i64 {INSIDE}
  store atomic ptr %job, ptr %queue seq_cst, align 8
  %before = atomicrmw add ptr %number, i64 1 seq_cst
  call void @work(ptr %job)
  store atomic ptr null, ptr %queue seq_cst, align 8
  br label %look
look:
  %others = load atomic i64, ptr %inside seq_cst, align 8
  %alone = icmp eq i64 %others, 0
  br i1 %alone, label %done, label %wait
wait:
  {pause}
  br label %look
done:
  ret void
}}
"""


def _help(pause: str) -> str:
    """``@help`` works on jobs until there has been none for some time, or `LONGEST_STAY` of them."""
    return f"""
define internal void @help(ptr %queue, i64 %spins) nounwind {{
entry:
  %number = getelementptr i64, ptr %queue, i64 {NUMBER}
  %inside = getelementptr i64, ptr %queue, i64 {INSIDE}
  br label %look
look:
  %known = phi i64 [ 0, %entry ], [ %known, %wait ], [ %current, %leave ]
  %left = phi i64 [ %spins, %entry ], [ %fewer, %wait ], [ %spins, %leave ]
  %jobs = phi i64 [ 0, %entry ], [ %jobs, %wait ], [ %jobs.seen, %leave ]
  %current = load atomic i64, ptr %number seq_cst, align 8
  %nothing.new = icmp eq i64 %current, %known
  br i1 %nothing.new, label %wait, label %enter
wait:
  {pause}
  %fewer = sub i64 %left, 1
  %done = icmp slt i64 %fewer, 1
  br i1 %done, label %go, label %look
enter:
  %in = atomicrmw add ptr %inside, i64 1 seq_cst
  %job = load atomic ptr, ptr %queue seq_cst, align 8
  %over = icmp eq ptr %job, null
  br i1 %over, label %leave, label %ask
ask:
  %places.at = getelementptr %job, ptr %job, i32 0, i32 1
  %places = atomicrmw sub ptr %places.at, i64 1 monotonic
  %is.free = icmp sgt i64 %places, 0
  br i1 %is.free, label %join, label %leave
join:
  call void @work(ptr %job)
  br label %leave
leave:
  %out = atomicrmw sub ptr %inside, i64 1 seq_cst
  %jobs.seen = add i64 %jobs, 1
  %stays = icmp ult i64 %jobs.seen, {LONGEST_STAY}
  br i1 %stays, label %look, label %go
go:
  ret void
}}
"""


_FILLED = "\n".join(
    f"  %at.{k} = getelementptr %job, ptr %job, i32 0, i32 {k}\n  store {value}, ptr %at.{k}"
    for k, value in enumerate(
        ["i64 %places", "i64 %states", "i64 %chunk", "ptr %loop", "i64 %arrays", "ptr %args", "ptr %steps"], start=1
    )
)

# @batch shares a batch if it is large and there is no other leader; else it calls the loop for all of it.
_BATCH = f"""
define internal void @batch(ptr %args, ptr %dimensions, ptr %steps, ptr %plan) nounwind {{
entry:
  %job = alloca %job
  %queue = load ptr, ptr %plan
  %leading = getelementptr i64, ptr %queue, i64 {LEADING}
  %helpers.at = getelementptr i64, ptr %plan, i64 1
  %helpers = load i64, ptr %helpers.at
  %loop.at = getelementptr i64, ptr %plan, i64 2
  %loop = load ptr, ptr %loop.at
  %arrays.at = getelementptr i64, ptr %plan, i64 3
  %arrays = load i64, ptr %arrays.at
  %fewest.at = getelementptr i64, ptr %plan, i64 4
  %fewest = load i64, ptr %fewest.at
  %states = load i64, ptr %dimensions
  %most = add i64 %helpers, 1
  %worth = sdiv i64 %states, %fewest
  %is.worth = icmp sgt i64 %worth, 1
  br i1 %is.worth, label %ask, label %alone
ask:
  %others = atomicrmw xchg ptr %leading, i64 1 acquire
  %is.free = icmp eq i64 %others, 0
  br i1 %is.free, label %share, label %alone
share:
  %threads = call i64 @llvm.umin.i64(i64 %most, i64 %worth)
  %places = sub i64 %threads, 1
  %chunks = mul i64 %threads, {CHUNKS * GROUP}
  %above = add i64 %states, %chunks
  %up = sub i64 %above, 1
  %groups = sdiv i64 %up, %chunks
  %chunk = mul i64 %groups, {GROUP}
  store i64 0, ptr %job
{_FILLED}
  call void @lead(ptr %queue, ptr %job)
  store atomic i64 0, ptr %leading release, align 8
  ret void
alone:
  call void %loop(ptr %args, ptr %dimensions, ptr %steps, ptr null)
  ret void
}}
"""
