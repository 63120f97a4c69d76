"""The C function of `armdyn.targets.sharing` as LLVM IR.

In C it is ``void armdyn_meet(int64_t *meeting, int64_t *job, int64_t patience)``: with a job, the leader's part, with
none, a helper's. Words of a meeting, each on a line of the cache of its own: the job that is called out, the number of
jobs so far, the helpers inside one. Words of a job: the next state to be given out, the helpers who may still join in,
states, states a piece, inner loop, number of arrays; then the arrays' addresses, and the steps as NumPy hands them to a
loop.

A helper says that it is inside before it looks at the job, and the leader takes the job away before it looks whether
anybody is inside. All four happen in one order, that of ``seq_cst``: no helper is inside a job whose leader has gone.
"""

from __future__ import annotations

ENTRY = "armdyn_meet"

NUMBER, INSIDE = 8, 16
MEETING_WORDS = 24

MOST_ARRAYS = 64
"""Arguments and results of a loop together; NumPy takes no more."""

LONGEST_STAY = 64
"""Jobs after which a helper goes back to Python, where it learns that the interpreter shuts down."""


def meeting_ir(triple: str) -> str:
    """The module with the function `ENTRY`."""
    pause = _pause(triple)
    return f"""\
target triple = "{triple}"

declare i64 @llvm.umin.i64(i64, i64)
{pause.replace("call", "declare").replace("i32 15", "i32")}
{_work(MOST_ARRAYS)}
define internal void @lead(ptr %meeting, ptr %job) nounwind {{
entry:
  %number = getelementptr i64, ptr %meeting, i64 {NUMBER}
  %inside = getelementptr i64, ptr %meeting, i64 {INSIDE}
  store atomic ptr %job, ptr %meeting seq_cst, align 8
  %before = atomicrmw add ptr %number, i64 1 seq_cst
  call void @work(ptr %job)
  store atomic ptr null, ptr %meeting seq_cst, align 8
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

define internal void @help(ptr %meeting, i64 %patience) nounwind {{
entry:
  %number = getelementptr i64, ptr %meeting, i64 {NUMBER}
  %inside = getelementptr i64, ptr %meeting, i64 {INSIDE}
  br label %look
look:
  %known = phi i64 [ 0, %entry ], [ %known, %wait ], [ %current, %leave ]
  %left = phi i64 [ %patience, %entry ], [ %fewer, %wait ], [ %patience, %leave ]
  %jobs = phi i64 [ 0, %entry ], [ %jobs, %wait ], [ %jobs.seen, %leave ]
  %current = load atomic i64, ptr %number seq_cst, align 8
  %nothing.new = icmp eq i64 %current, %known
  br i1 %nothing.new, label %wait, label %enter
wait:
  {pause}
  %fewer = sub i64 %left, 1
  %tired = icmp slt i64 %fewer, 1
  br i1 %tired, label %go, label %look
enter:
  %in = atomicrmw add ptr %inside, i64 1 seq_cst
  %job = load atomic ptr, ptr %meeting seq_cst, align 8
  %over = icmp eq ptr %job, null
  br i1 %over, label %leave, label %ask
ask:
  %wanted.at = getelementptr i64, ptr %job, i64 1
  %wanted = atomicrmw sub ptr %wanted.at, i64 1 monotonic
  %is.free = icmp sgt i64 %wanted, 0
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

define void @{ENTRY}(ptr %meeting, ptr %job, i64 %patience) nounwind {{
entry:
  %is.helper = icmp eq ptr %job, null
  br i1 %is.helper, label %helper, label %leader
helper:
  call void @help(ptr %meeting, i64 %patience)
  ret void
leader:
  call void @lead(ptr %meeting, ptr %job)
  ret void
}}
"""


def _pause(triple: str) -> str:
    """The instruction that tells a processor that somebody waits in a loop."""
    if triple.startswith("x86_64"):
        return "call void @llvm.x86.sse2.pause()"
    if triple.startswith(("aarch64", "arm64")):
        return "call void @llvm.aarch64.isb(i32 15)"
    return ""


def _work(most: int) -> str:
    """Take pieces until none is left; a loop has at most so many arrays."""
    return f"""
define internal void @work(ptr %job) nounwind {{
entry:
  %states.at = getelementptr i64, ptr %job, i64 2
  %states = load i64, ptr %states.at
  %piece.at = getelementptr i64, ptr %job, i64 3
  %piece = load i64, ptr %piece.at
  %loop.at = getelementptr i64, ptr %job, i64 4
  %loop = load ptr, ptr %loop.at
  %arrays.at = getelementptr i64, ptr %job, i64 5
  %arrays = load i64, ptr %arrays.at
  %addresses = getelementptr i64, ptr %job, i64 6
  %steps = getelementptr i64, ptr %addresses, i64 %arrays
  %own = alloca [{most} x ptr]
  %count.at = alloca i64
  br label %next
next:
  %first = atomicrmw add ptr %job, i64 %piece monotonic
  %is.left = icmp slt i64 %first, %states
  br i1 %is.left, label %take, label %done
take:
  %left = sub i64 %states, %first
  %count = call i64 @llvm.umin.i64(i64 %left, i64 %piece)
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
