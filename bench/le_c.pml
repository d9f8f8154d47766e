/* LE_C of examples/pat/le_c.fair for SPIN, by hand. Every action is a process of its own, so that SPIN's weak fairness of
   processes is weak fairness of actions. The number of leaders is counted along, which is cheaper than adding them up.
   spin -DN=8 -a le_c.pml, then the flags of the row. */

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
    do :: !leader[i] && !leader[r] && exist od
}

init {
    byte i, r;
    atomic {
        run Oracle(); run Guess1(); run Guess2();
        for (i : 0 .. N - 1) {
            for (r : 0 .. N - 1) {
                if
                :: i != r -> run Rule1(i, r); run Rule2(i, r); run Rule3(i, r)
                :: else
                fi
            }
        }
        for (i : 0 .. N - 1) {
            if
            :: leader[i] = true; leaders++
            :: skip
            fi
        }
        i = 0; r = 0
    }
}

ltl one_leader { <> [] (leaders == 1) }
