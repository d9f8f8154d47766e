byte x, y;
proctype A(byte k) { byte t[2] = 3; byte u[2] = {1, 2}; short v[2] = k; byte w = t[1] + k; x = t[0] + t[1]; y = u[0] * 10 + u[1]; x = v[1]; y = w }
init { run A(5); run A(6) }
