// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::bench {

/// Prints what a changed route table of 1,000 routers costs a gateway, a router and the orchestrator, measured on their
/// own code: medians of `runs`. Compares it with a plain Bellman-Ford over the same links. Returns 1 if paths differ
/// from Bellman-Ford's, or if one of the three takes longer than 50 ms with 50 gateways. With 200 gateways it only
/// prints the times.
int bench_routes(int runs);

}  // namespace divisi::bench
