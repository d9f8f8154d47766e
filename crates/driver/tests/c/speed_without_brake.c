//= positive fails
//@ ltl invariant positive: ([]AP(speed < 50)) || (<>AP(brake == 1));
int speed = 0, brake = 0;
int main() { int s; while (1) { s = nondet(); if (s > 0 && s < 10) speed += s; if (speed > 100) { brake = 1; speed = 0; brake = 0; } } }
