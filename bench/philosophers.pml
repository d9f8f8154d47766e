/* The philosophers of philosophers.fair for SPIN, by hand: the same states and the same steps.
   spin -DN=14 -a philosophers.pml, then the flags of the row. */

#define FIRST (_pid == 0 -> 1 : _pid)
#define SECOND (_pid == 0 -> 0 : (_pid + 1) % N)

bool held[N];

active [N] proctype Philosopher() {
    do
    :: d_step { !held[FIRST] -> held[FIRST] = true };       /* think */
       d_step { !held[SECOND] -> held[SECOND] = true };     /* hungry */
       held[FIRST] = false;                                 /* eat */
       held[SECOND] = false                                 /* sated */
    od
}
