//= termination fails
int main() {
    unsigned int n = 10;
    unsigned int i;
    for (i = n; i >= 0; i--) {
        if (i > n + 5) i = n;
    }
    return 0;
}
