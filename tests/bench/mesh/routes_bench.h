// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::bench {

/// Prints the cost of a changed route table with 1,000 routers for a gateway, a router and the orchestrator, measured
/// on their actual code: medians of `runs`. Compares it with a plain Bellman-Ford over the same links. Returns 1 if
/// paths differ from those of Bellman-Ford, or if one of the three costs exceeds 50 ms with 50 gateways. With 200
/// gateways it only prints the times.
int bench_routes(int runs);

}  // namespace divisi::bench
