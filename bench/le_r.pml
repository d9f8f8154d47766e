/* LE_R of examples/pat/le_r.fair for SPIN, by hand. Every action is a process of its own, so that SPIN's weak fairness of
   processes is weak fairness of actions.
   spin -DN=8 -a le_r.pml, then the flags of the row. */

bool correct, guess;
bool leader[N], bullet[N], shield[N];
byte leaders;

#define exist ((!correct && guess) || (correct && leaders > 0))
#define NEXT ((i + 1) % N)

proctype Oracle() { do :: d_step { !correct -> correct = true } od }
proctype Guess1() { do :: d_step { !correct -> guess = false } od }
proctype Guess2() { do :: d_step { !correct -> guess = true } od }

proctype Rule1(byte i) {
    do :: d_step { !exist -> bullet[i] = true; leaders = leaders + 1 - leader[i]; leader[i] = true; shield[i] = true } od
}
proctype Rule2(byte i) {
    do :: d_step { exist && !leader[i] && shield[i] -> shield[i] = false; bullet[NEXT] = false; shield[NEXT] = true } od
}
proctype Rule3(byte i) {
    do
    :: d_step { exist && leader[i] && shield[i] ->
        bullet[i] = true; shield[i] = false; bullet[NEXT] = false; shield[NEXT] = true }
    od
}
proctype Rule4(byte i) {
    do :: d_step { exist && leader[i] && !shield[i] && !bullet[NEXT] -> bullet[i] = true } od
}
proctype Rule5(byte i) {
    do
    :: d_step { exist && !shield[i] && bullet[NEXT] ->
        bullet[i] = true; leaders = leaders - leader[i]; leader[i] = false; bullet[NEXT] = false }
    od
}

init {
    byte i;
    atomic {
        run Oracle(); run Guess1(); run Guess2();
        for (i : 0 .. N - 1) {
            run Rule1(i); run Rule2(i); run Rule3(i); run Rule4(i); run Rule5(i)
        }
        for (i : 0 .. N - 1) {
            if :: leader[i] = true; leaders++ :: skip fi;
            if :: bullet[i] = true :: skip fi;
            if :: shield[i] = true :: skip fi
        }
        i = 0
    }
}

ltl one_leader { <> [] (leaders == 1) }
