/* LE_C of examples/pat/le_c.fair for SPIN, by hand, for N up to 8, with fairness in the formula: a counter goes round the
   actions and moves on when the present one is taken or not enabled, and the formula asks for infinitely many rounds.
   A process per node; the number of leaders is counted along.
   spin -DN=8 -a le_c_rounds.pml, then the flags of the row. */

bool correct, guess;
bool leader[N];
byte leaders;
byte turn;              /* 0 to 2: the detector; then three rules for each pair of nodes; then the end of a round */

#define exist ((!correct && guess) || (correct && leaders > 0))

#define RULE(i, r, k) (3 + ((i) * N + (r)) * 3 + k)
#define ROUND (3 + N * N * 3)

/* The pair and the rule whose turn it is. */
#define I ((turn - 3) / (3 * N))
#define R (((turn - 3) / 3) % N)
#define K ((turn - 3) % 3)
#define ENABLED \
    (turn < 3 -> !correct : \
    (I != R && (K == 0 -> leader[I] && leader[R] : !leader[I] && !leader[R] && (K == 1 -> !exist : exist))))

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

#define MEET(r) \
    :: d_step { r < N && i != r && leader[i] && leader[r % N] -> observe(RULE(i, r, 0)); leader[r % N] = false; leaders-- } \
    :: d_step { r < N && i != r && !leader[i] && !leader[r % N] && !exist -> observe(RULE(i, r, 1)); leader[i] = true; leaders++ } \
    :: d_step { r < N && i != r && !leader[i] && !leader[r % N] && exist -> observe(RULE(i, r, 2)) }

proctype Detector() {
    do
    :: d_step { !correct -> observe(0); correct = true }
    :: d_step { !correct -> observe(1); guess = false }
    :: d_step { !correct -> observe(2); guess = true }
    od
}

proctype Node(byte i) {
    do
    MEET(0) MEET(1) MEET(2) MEET(3) MEET(4) MEET(5) MEET(6) MEET(7)
    od
}

init {
    byte i;
    atomic {
        run Detector();
        for (i : 0 .. N - 1) { run Node(i) }
        for (i : 0 .. N - 1) {
            if
            :: leader[i] = true; leaders++
            :: skip
            fi
        }
        i = 0
    }
}

ltl one_leader { ([] <> (turn == ROUND)) -> (<> [] (leaders == 1)) }
