//= termination holds
char c;
int main() {
    c = 'a';
    while (c <= 'z') c++;
    return c == '{' ? 0 : 1;
}
