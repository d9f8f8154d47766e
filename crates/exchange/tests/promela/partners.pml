/* rendezvous with timeouts and unless, priorities of else with receive */
chan c = [0] of { byte }; chan d = [1] of { byte }; byte n;
active proctype S() { do :: c!1 :: n < 2 -> n++; d!n :: n == 2 -> break od }
active proctype R() { byte v; do :: c?v -> if :: d?v :: else -> n = n fi :: timeout -> break od unless { d?[2] -> d?v } }
