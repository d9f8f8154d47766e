//= termination fails
const int LIMIT = 10; static int cnt = LIMIT + 1; int main() { static int k = LIMIT; while (cnt > k) cnt++; }
