// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::bench {

/// Prints what a changed route table of 1,000 routers costs a gateway, a router and the orchestrator, by the code that
/// they run, beside Bellman-Ford written plainly over the same links: medians of `runs`. 1 where paths are not those of
/// Bellman-Ford, or one of the three takes longer than 50 ms with 50 gateways; with 200 the times are printed alone.
int bench_routes(int runs);

}  // namespace divisi::bench
