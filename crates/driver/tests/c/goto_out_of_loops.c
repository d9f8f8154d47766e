//= termination holds
int main() {
    int i, j, n = __VERIFIER_nondet_int();
    for (i = 0; i < n; i++)
        for (j = 0; ; j++)
            if (j > i) goto next;
            else if (i + j == 100) goto out;
            else continue;
next:
    i = n;
out:
    return 0;
}
