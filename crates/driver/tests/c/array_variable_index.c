//= termination holds
int visited[4];
int main() {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 4) return 0;
    while (!visited[i]) {
        visited[i] = 1;
        i = (i + 1) % 4;
    }
    return 0;
}
