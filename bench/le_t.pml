/* LE_T of examples/pat/le_t.fair for SPIN, by hand. Every action is a process of its own, so that SPIN's weak fairness of
   processes is weak fairness of actions. Under -f SPIN overlooks runs that end in a deadlock; here these are the stable
   states, which satisfy the property, so the verdict is the same.
   spin -DN=13 -a le_t.pml, then the flags of the row. */

bool correct, guess;
bool leader[N];
byte leaders;

#define exist ((!correct && guess) || (correct && leaders > 0))

proctype Oracle() { do :: d_step { !correct -> correct = true } od }
proctype Guess1() { do :: d_step { !correct -> guess = false } od }
proctype Guess2() { do :: d_step { !correct -> guess = true } od }

proctype Rule1(byte i; byte r) {
    do :: d_step { leader[i] && leader[r] -> leader[r] = false; leaders-- } od
}
proctype Rule2(byte i; byte r) {
    do :: d_step { !leader[i] && !leader[r] && !exist -> leader[i] = true; leaders++ } od
}
proctype Rule3(byte i; byte r) {
    do :: d_step { !leader[i] && leader[r] -> leader[i] = true; leader[r] = false } od
}

init {
    byte r;
    atomic {
        run Oracle(); run Guess1(); run Guess2();
        for (r : 1 .. N - 1) {
            run Rule1((r - 1) / 2, r); run Rule2((r - 1) / 2, r); run Rule3((r - 1) / 2, r)
        }
        for (r : 0 .. N - 1) {
            if
            :: leader[r] = true; leaders++
            :: skip
            fi
        }
        r = 0
    }
}

ltl one_leader { <> [] (leaders == 1) }
