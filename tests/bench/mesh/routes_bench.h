// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::bench {

/// Prints what one change costs a route table of 1,000 routers with four links each, beside Bellman-Ford written
/// plainly over the same links: medians of `runs`. 1 where the two disagree or the table takes longer than 50 ms.
int bench_routes(int runs);

}  // namespace divisi::bench
