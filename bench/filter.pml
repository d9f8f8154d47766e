/* The filter lock of filter.fair for SPIN, by hand: the same states and the same steps, for N up to 8.
   spin -DN=6 -a filter.pml, then the flags of the row. */

byte level[N];
byte last[N];           /* last[0] is not used */

#define LOWER(k) (k >= N || k == _pid || level[k % N] < j)
#define FREE \
    (last[j] != _pid \
    || LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4) && LOWER(5) && LOWER(6) && LOWER(7))

active [N] proctype P() {
    byte j = 1;
rest:
    skip;
announce:
    level[_pid] = j;
yield:
    last[j] = _pid;
climb:
    if
    :: d_step { j < N - 1 && FREE -> j++ }; goto announce
    :: j == N - 1 && FREE
    fi;
cs:
    d_step { level[_pid] = 0; j = 1 };
    goto rest
}

#ifdef LIVENESS
ltl enters { [] (P[0]@announce -> <> P[0]@cs) }
#endif
