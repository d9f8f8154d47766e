/* The filter lock of examples/pat/peterson.fair for SPIN, by hand, for N up to 8. A process has one action at a time, so
   SPIN's weak fairness of processes is weak fairness of actions.
   spin -DN=5 -a peterson.pml, then the flags of the row. */

byte pos[N];
byte last[N];           /* last[0] is not used */

#define LOWER(k) (k >= N || k == _pid || pos[k % N] < j)
#define FREE \
    (last[j] != _pid \
    || LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4) && LOWER(5) && LOWER(6) && LOWER(7))

active [N] proctype P() {
    byte j = 1;
announce:
    pos[_pid] = j;
yield:
    last[j] = _pid;
climb:
    if
    :: d_step { j < N - 1 && FREE -> j++ }; goto announce
    :: j == N - 1 && FREE
    fi;
cs:
    skip;
reset:
    d_step { pos[_pid] = 0; j = 1 };
    goto announce
}

ltl enters { [] (pos[0] > 0 -> <> P[0]@cs) }
