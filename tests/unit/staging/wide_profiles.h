// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backend/staging/profile.h"
#include "tests/unit/base/draw.h"

namespace divisi::staging::test {

using testing::Draw;

/// Draws profiles with the shapes of real networks, node by node.
class ProfileDraw {
public:
    explicit ProfileDraw(std::uint64_t seed) : draw(seed) {}

    using Nodes = std::vector<std::int32_t>;

    /// Adds a node after `before`; times and bytes vary by a factor of 30 around `scale`.
    std::int32_t add(const Nodes& before, double scale = 1) {
        const auto node = static_cast<std::int32_t>(profile.nodes.size());
        const bool idle = draw.chance(5);
        const double forward = idle ? 0 : scale * draw.between(0.2, 6);
        profile.nodes.push_back({"node" + std::to_string(node + 1), "Op", forward, forward * draw.between(1, 3),
                                 1e6 * scale * draw.between(0.2, 6), 0});
        for (const std::int32_t from : before) profile.edges.push_back({from, node});
        return node;
    }
    std::int32_t chain(std::int32_t from, int length, double scale = 1) {
        for (int i = 0; i < length; ++i) from = add({from}, scale);
        return from;
    }
    /// Adds `branches` chains from one node, and a node that joins them.
    std::int32_t fork(std::int32_t from, int branches, int length, double scale = 1) {
        Nodes ends;
        for (int i = 0; i < branches; ++i) ends.push_back(chain(from, length > 1 ? 1 + draw.below(length) : 1, scale));
        return add(ends);
    }
    /// Adds a random series-parallel part of about `nodes` nodes.
    std::int32_t series_parallel(std::int32_t from, int nodes) {
        if (nodes <= 2) return add({from});
        if (draw.chance(50)) return series_parallel(series_parallel(from, nodes / 2), nodes - nodes / 2);
        Nodes ends;
        const int branches = 2 + draw.below(4);
        for (int i = 0; i < branches; ++i) ends.push_back(series_parallel(from, nodes / branches));
        return add(ends);
    }
    Profile take() {
        std::sort(profile.edges.begin(), profile.edges.end());
        profile.edges.erase(std::unique(profile.edges.begin(), profile.edges.end()), profile.edges.end());
        return std::move(profile);
    }

    Draw draw;
    Profile profile;
};

struct NamedProfile {
    std::string name;
    Profile profile;
};

/// Wide graphs with the shapes of real networks, most with far more than a million boundary sets.
class WideProfiles {
public:
    WideProfiles(double size, std::uint64_t seed) : size_(size), seed_(seed) {
        add_branches();
        add_skips();
        add_grids();
        add_random();
    }
    std::vector<NamedProfile> take() { return std::move(all_); }

private:
    using Nodes = ProfileDraw::Nodes;

    int n(int full) const { return std::max(2, static_cast<int>(std::lround(full * size_))); }
    void make(const char* name, const std::function<void(ProfileDraw&)>& fill) {
        ProfileDraw draw(mix(seed_, all_.size()));
        fill(draw);
        all_.push_back({name, draw.take()});
    }

    /// Adds networks with parallel branches.
    void add_branches() {
        make("towers", [this](ProfileDraw& d) {  // many inputs, one head
            Nodes ends;
            for (int i = 0; i < 12; ++i) ends.push_back(d.chain(d.add({}), n(10)));
            d.chain(d.add(ends), n(12));
        });
        make("heads", [this](ProfileDraw& d) {  // one backbone, many heads
            const auto backbone = d.chain(d.add({}), n(30));
            for (int i = 0; i < 10; ++i) d.chain(backbone, n(10));
        });
        make("inception", [this](ProfileDraw& d) {
            auto at = d.chain(d.add({}), 5);
            for (int i = 0; i < n(12); ++i) at = d.fork(at, 6, 5);
            d.chain(at, 3);
        });
        make("resnext", [this](ProfileDraw& d) {
            auto at = d.add({});
            for (int i = 0; i < n(12); ++i) {
                Nodes ends{at};
                for (int j = 0; j < 16; ++j) ends.push_back(d.chain(at, 2, 0.2));
                at = d.add(ends);
            }
        });
        make("transformer", [this](ProfileDraw& d) {
            auto at = d.add({});
            for (int i = 0; i < n(12); ++i) {
                const auto norm = d.add({at}, 0.2);
                Nodes heads;
                for (int head = 0; head < 8; ++head) {
                    const auto q = d.add({norm}, 0.3), k = d.add({norm}, 0.3), v = d.add({norm}, 0.3);
                    const auto score = d.add({d.add({q, k}, 0.3)}, 0.3);
                    heads.push_back(d.add({score, v}, 0.3));
                }
                const auto residual = d.add({at, d.add(heads)}, 0.2);
                at = d.add({residual, d.chain(d.add({residual}, 0.2), 3)}, 0.2);
            }
        });
        make("encoder-decoder", [this](ProfileDraw& d) {  // every layer of the decoder reads the encoder
            auto memory = d.add({});
            for (int i = 0; i < n(10); ++i) memory = d.add({memory, d.chain(memory, 4)}, 0.3);
            auto at = d.add({});
            for (int i = 0; i < n(10); ++i) {
                at = d.add({at, d.chain(at, 3)}, 0.3);
                at = d.add({at, d.chain(d.add({at, memory}), 3)}, 0.3);
            }
        });
    }
    /// Adds networks whose values are used far away.
    void add_skips() {
        make("unet", [this](ProfileDraw& d) {
            Nodes skips;
            auto at = d.add({});
            const int depth = n(8);
            for (int i = 0; i < depth; ++i) {
                skips.push_back(at = d.fork(at, 3, 3, std::pow(0.7, i)));
                at = d.add({at}, std::pow(0.7, i));
            }
            for (int i = depth; i-- > 0;) at = d.fork(d.add({at, skips[i]}, std::pow(0.7, i)), 3, 3, std::pow(0.7, i));
        });
        make("unet++", [this](ProfileDraw& d) {
            const int depth = n(7);
            std::vector<Nodes> grid(depth);
            for (int j = 0; j < depth; ++j)
                for (int i = 0; i + j < depth; ++i) {
                    Nodes before;
                    if (j == 0 && i > 0) before = {grid[i - 1].back()};
                    if (j > 0) before = grid[i], before.push_back(grid[i + 1][j - 1]);
                    grid[i].push_back(d.chain(d.add(before, std::pow(0.8, i)), 2, std::pow(0.8, i)));
                }
        });
        make("densenet", [this](ProfileDraw& d) {
            auto at = d.add({});
            for (int block = 0; block < 4; ++block) {
                Nodes layers{at};
                for (int i = 0; i < n(12); ++i) layers.push_back(d.chain(d.add(layers, 0.3), 2, 0.3));
                at = d.chain(d.add(layers), 2);
            }
        });
        make("nasnet", [this](ProfileDraw& d) {  // each cell reads the two cells before it
            auto previous = d.add({}), at = d.add({previous});
            for (int cell = 0; cell < n(12); ++cell) {
                Nodes states{previous, at}, loose;
                for (int block = 0; block < 5; ++block) {
                    const auto one = states[d.draw.below(static_cast<int>(states.size()))],
                               other = states[d.draw.below(static_cast<int>(states.size()))];
                    states.push_back(d.add({d.chain(one, 2), d.chain(other, 2)}, 0.2));
                }
                previous = std::exchange(at, d.add({states.begin() + 2, states.end()}));
            }
        });
        make("random-wired", [this](ProfileDraw& d) {  // Watts and Strogatz' small worlds, in stages
            auto at = d.add({});
            for (int stage = 0; stage < 3; ++stage) {
                const int count = n(32);
                std::vector<Nodes> before(count);
                for (int i = 0; i < count; ++i)
                    for (int k = 1; k <= 2; ++k) {
                        int other = d.draw.chance(75) ? (i + k) % count : d.draw.below(count);
                        if (other != i) before[std::max(i, other)].push_back(std::min(i, other));
                    }
                Nodes made;
                std::vector<bool> used(count, false);
                for (int i = 0; i < count; ++i) {
                    Nodes from;
                    for (const auto b : before[i]) from.push_back(made[b]), used[b] = true;
                    if (from.empty()) from.push_back(at);
                    std::sort(from.begin(), from.end());
                    from.erase(std::unique(from.begin(), from.end()), from.end());
                    made.push_back(d.add(from));
                }
                Nodes ends;
                for (int i = 0; i < count; ++i)
                    if (!used[i]) ends.push_back(made[i]);
                at = d.add(ends);
            }
        });
    }
    /// Adds networks with many paths across.
    void add_grids() {
        make("lstm-grid", [this](ProfileDraw& d) {  // layers unrolled in time
            const int steps = n(25), layers = 8;
            std::vector<Nodes> grid(layers);
            for (int t = 0; t < steps; ++t)
                for (int l = 0; l < layers; ++l) {
                    Nodes before;
                    if (l > 0) before.push_back(grid[l - 1][t]);
                    if (t > 0) before.push_back(grid[l][t - 1]);
                    grid[l].push_back(d.add(before));
                }
        });
        make("hrnet", [this](ProfileDraw& d) {  // parallel resolutions that exchange values now and then
            Nodes at{d.add({})};
            for (int module = 0; module < n(10); ++module) {
                if (at.size() < 4 && module % 2 == 1) at.push_back(d.add({at.back()}, 0.7));
                for (std::size_t i = 0; i < at.size(); ++i) at[i] = d.chain(at[i], 4, std::pow(0.7, i));
                Nodes next;
                for (std::size_t i = 0; i < at.size(); ++i) next.push_back(d.add(at, std::pow(0.7, i)));
                at = next;
            }
            d.add(at);
        });
        make("experts", [this](ProfileDraw& d) {
            auto at = d.add({});
            for (int layer = 0; layer < n(10); ++layer) {
                at = d.add({at, d.chain(at, 4, 0.5)}, 0.2);
                at = d.add({at, d.fork(d.add({at}, 0.2), 12, 2, 0.5)}, 0.2);
            }
        });
        make("series-parallel", [this](ProfileDraw& d) { d.series_parallel(d.add({}), n(300)); });
    }
    /// Adds networks with little structure, or with separate parts.
    void add_random() {
        make("two-networks", [this](ProfileDraw& d) {  // teacher and student, connected only by the loss
            auto teacher = d.add({}), student = d.add({});
            for (int i = 0; i < n(12); ++i) teacher = d.add({teacher, d.fork(teacher, 3, 4)}, 0.2);
            for (int i = 0; i < n(12); ++i) student = d.add({student, d.fork(student, 2, 3, 0.4)}, 0.2);
            d.add({teacher, student});
        });
        make("sparse", [this](ProfileDraw& d) {
            const int count = n(200);
            for (int i = 0; i < count; ++i) {
                Nodes before;
                for (int edge = 0; i > 0 && edge < 2; ++edge) before.push_back(d.draw.below(i));
                std::sort(before.begin(), before.end());
                before.erase(std::unique(before.begin(), before.end()), before.end());
                d.add(before);
            }
        });
        make("local", [this](ProfileDraw& d) {  // edges connect only nearby nodes
            const int count = n(200);
            for (int i = 0; i < count; ++i) {
                Nodes before;
                for (int edge = 0; i > 0 && edge < 2; ++edge) before.push_back(std::max(0, i - 1 - d.draw.below(12)));
                std::sort(before.begin(), before.end());
                before.erase(std::unique(before.begin(), before.end()), before.end());
                d.add(before);
            }
        });
        make("loose", [this](ProfileDraw& d) {  // unconnected components
            for (int part = 0; part < 6; ++part) d.series_parallel(d.add({}), n(30));
        });
    }

    double size_;
    std::uint64_t seed_;
    std::vector<NamedProfile> all_;
};

/// Returns networks of a few hundred nodes each for a `size` of 1.
inline std::vector<NamedProfile> wide_profiles(double size = 1, std::uint64_t seed = 1) {
    return WideProfiles(size, seed).take();
}

/// Returns the bytes per second at which all activations of a profile, in both directions, take `share` of all its
/// work.
inline double bandwidth_for(const Profile& profile, double share) {
    double work = 0, bytes = 0;
    for (const ProfileNode& node : profile.nodes) {
        work += node.forward_ms + node.backward_ms;
        bytes += node.activation_bytes;
    }
    return 2 * bytes / (work * share) * 1000;
}

}  // namespace divisi::staging::test
