//= termination fails
int main() { int x = [1, 6], sum = 0; while (sum % 7 != 5) { x = [1, 6]; sum = (sum + x * x) % 7; if (sum == 5) sum = 0; } }
