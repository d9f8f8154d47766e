//= termination fails
int main() {
    int i = 3;
    goto middle;
    while (i > 0) {
        i = i - 1;
    middle:
        i = i + 1;
    }
    return 0;
}
