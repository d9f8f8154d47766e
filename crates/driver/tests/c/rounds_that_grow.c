//= settles fails
// Every round is longer than the one before, and z is 1 in each.
//@ ltl invariant settles: <>[]AP(z == 0);
int z;
int main() {
    int n = 1, i;
    while (1) {
        i = n;
        z = 0;
        while (i > 0) i--;
        z = 1;
        n++;
    }
}
