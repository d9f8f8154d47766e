//= termination holds
int main() {
    int n = __VERIFIER_nondet_int(), i, j, k;
    for (i = 0; i < n; ++i)
        for (j = i; j < n; ++j)
            for (k = n; k > j; --k)
                ;
    return 0;
}
