/* TC_R of examples/pat/tc_r.fair for SPIN, by hand. Every action is a process of its own, so that SPIN's weak fairness of
   processes is weak fairness of actions.
   spin -DN=13 -a tc_r.pml, then the flags of the row. */

bool token[N], tag[N];
byte tokens;

#define NEXT ((i + 1) % N)

inline move() {
    tokens = tokens - token[i]; token[i] = false;
    tokens = tokens + 1 - token[NEXT]; token[NEXT] = true
}

proctype Rule1(byte i) {
    do :: d_step { tag[i] == tag[NEXT] -> move(); tag[NEXT] = 1 - tag[i] } od
}
proctype Rule2(byte i) {
    do :: d_step { tag[i] != tag[NEXT] -> move(); tag[NEXT] = tag[i] } od
}

init {
    byte i;
    atomic {
        run Rule1(N - 1);
        for (i : 0 .. N - 2) { run Rule2(i) }
        for (i : 0 .. N - 1) {
            if :: token[i] = true; tokens++ :: skip fi;
            if :: tag[i] = true :: skip fi
        }
        i = 0
    }
}

ltl one_token { <> [] (tokens == 1) }
