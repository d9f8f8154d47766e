/* LE_T of examples/pat/le_t.fair for SPIN, by hand, with fairness in the formula: a counter goes round the actions and
   moves on when the present one is taken or not enabled, and the formula asks for infinitely many rounds. A process per
   child. Every fair run ends in a deadlock, where the counter rests, so SPIN sees no fair run at all; these deadlocks are the
   stable states, which satisfy the property, so the verdict is the same.
   spin -DN=13 -a le_t_rounds.pml, then the flags of the row. */

bool correct, guess;
bool leader[N];
byte leaders;
byte turn;              /* 0 to 2: the detector; then three rules for each child; then the end of a round */

#define exist ((!correct && guess) || (correct && leaders > 0))

#define RULE(r, k) (r * 3 + k)
#define ROUND (N * 3)

/* The child and the rule whose turn it is, and the parent. */
#define R (turn / 3)
#define K (turn % 3)
#define I ((turn / 3 - 1) / 2)
#define ENABLED \
    (turn < 3 -> !correct : \
    (K == 0 -> leader[I] && leader[R] : !leader[I] && (K == 1 -> !leader[R] && !exist : leader[R])))

inline observe(k) {
    if
    :: turn == ROUND -> turn = 0
    :: else ->
        if
        :: turn == k || !ENABLED -> turn++
        :: else -> skip
        fi
    fi
}

proctype Detector() {
    do
    :: d_step { !correct -> observe(0); correct = true }
    :: d_step { !correct -> observe(1); guess = false }
    :: d_step { !correct -> observe(2); guess = true }
    od
}

proctype Child(byte i; byte r) {
    do
    :: d_step { leader[i] && leader[r] -> observe(RULE(r, 0)); leader[r] = false; leaders-- }
    :: d_step { !leader[i] && !leader[r] && !exist -> observe(RULE(r, 1)); leader[i] = true; leaders++ }
    :: d_step { !leader[i] && leader[r] -> observe(RULE(r, 2)); leader[i] = true; leader[r] = false }
    od
}

init {
    byte r;
    atomic {
        run Detector();
        for (r : 1 .. N - 1) { run Child((r - 1) / 2, r) }
        for (r : 0 .. N - 1) {
            if
            :: leader[r] = true; leaders++
            :: skip
            fi
        }
        r = 0
    }
}

ltl one_leader { ([] <> (turn == ROUND)) -> (<> [] (leaders == 1)) }
