// SPDX-License-Identifier: Apache-2.0
#include "backend/search/tabu.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "backend/base/hash.h"

namespace divisi::search {

namespace {

constexpr std::size_t most_known = 100'000;  // limit on remembered prices

/// A move of one cut, given by its position in the choice, to another legal position.
struct Move {
    std::size_t cut = 0;
    std::int32_t to = 0;
    double price = 0;
    std::uint64_t lot = 0;  ///< breaks ties between equal moves
};

class Search {
public:
    Search(const plan::CutChoice& start, std::int32_t legal, const CutPrice& price, const SegmentationRequest& request)
        : legal_(legal), price_(price), request_(request), now_(start) {
        result_.cuts = start;
        result_.start_price = result_.price = evaluate(start);
    }

    TabuResult run(const TabuWatch& watch) {
        for (; result_.iterations < request_.tabu_iterations; ++result_.iterations) {
            if (watch && !watch(result_)) break;
            bool any = false;
            const std::optional<Move> move = best_move(any);
            if (!any) break;
            if (!move) continue;  // all moves are tabu, so this iteration makes no move
            tabu_until_[{move->cut, now_[move->cut]}] = result_.iterations + request_.tabu_tenure;
            now_[move->cut] = move->to;
            if (move->price < result_.price) {
                result_.price = move->price;
                result_.cuts = now_;
            }
        }
        return std::move(result_);
    }

private:
    double evaluate(const plan::CutChoice& choice) {
        if (known_.size() == most_known) known_.clear();
        const auto [place, is_new] = known_.try_emplace(choice, 0);
        if (is_new) {
            place->second = price_(choice);
            ++result_.evaluations;
        }
        return place->second;
    }

    /// Returns the best move that is not tabu. `any` is set to whether there is any move, tabu or not.
    std::optional<Move> best_move(bool& any) {
        std::optional<Move> best;
        for (std::size_t cut = 0; cut < now_.size(); ++cut) {
            const std::int64_t home = now_[cut];
            const std::int64_t first = cut == 0 ? 0 : now_[cut - 1] + 1;
            const std::int64_t last = cut + 1 == now_.size() ? legal_ - 1 : now_[cut + 1] - 1;
            for (std::int64_t to = std::max(first, home - request_.tabu_neighbourhood);
                 to <= std::min(last, home + request_.tabu_neighbourhood); ++to) {
                if (to == home) continue;
                const Move move = priced(cut, static_cast<std::int32_t>(to));
                if (move.price == std::numeric_limits<double>::infinity()) continue;
                any = true;
                if (is_tabu(move)) continue;
                if (!best || std::pair(move.price, move.lot) < std::pair(best->price, best->lot)) best = move;
            }
        }
        return best;
    }
    Move priced(std::size_t cut, std::int32_t to) {
        plan::CutChoice choice = now_;
        choice[cut] = to;
        return {cut, to, evaluate(choice), mix(mix(request_.tabu_seed, result_.iterations), mix(cut, to))};
    }
    bool is_tabu(const Move& move) const {
        const auto found = tabu_until_.find({move.cut, move.to});
        if (found == tabu_until_.end() || found->second < result_.iterations) return false;
        return request_.tabu_aspiration != "better" || move.price >= result_.price;
    }

    std::int32_t legal_;
    const CutPrice& price_;
    const SegmentationRequest& request_;
    plan::CutChoice now_;
    TabuResult result_;
    std::map<plan::CutChoice, double> known_;
    /// last iteration in which the move is tabu
    std::map<std::pair<std::size_t, std::int32_t>, std::int64_t> tabu_until_;
};

}  // namespace

TabuResult tabu_search(const plan::CutChoice& start, std::int32_t legal, const CutPrice& price,
                       const SegmentationRequest& request, const TabuWatch& watch) {
    return Search(start, legal, price, request).run(watch);
}

}  // namespace divisi::search
