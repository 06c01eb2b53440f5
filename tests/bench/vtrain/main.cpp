// SPDX-License-Identifier: Apache-2.0
// Measures how well the simulator predicts real trainings that were run elsewhere: 1,440 iteration times of GPTs on
// A100 GPUs under tensor, data and pipeline parallelism. Eight physical constants are fitted on a random half of the
// rows. The other half must be predicted within 8 % on average. A regression and a single constant, fitted on the same
// half, are shown for comparison.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <string>

#include "tests/bench/vtrain/fit.h"
#include "tests/bench/vtrain/model.h"

namespace {

using namespace divisi;
using namespace divisi::bench;

constexpr double most_mean_error = 0.08;
constexpr std::uint32_t seed = 1;
constexpr int most_evaluations = 3000;
constexpr int skipped = 77;  ///< ctest's SKIP_RETURN_CODE

using Rows = std::vector<Row>;
/// Predicts the seconds of an iteration.
using Predictor = std::function<double(const Row&)>;

/// Returns |predicted / measured - 1| of every row, ascending.
std::vector<double> errors(const Predictor& predict, const Rows& rows) {
    std::vector<double> result;
    for (const Row& row : rows) result.push_back(std::abs(predict(row) / row.iteration_s - 1));
    std::sort(result.begin(), result.end());
    return result;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double report(const char* who, const Predictor& predict, const Rows& fitted, const Rows& others) {
    const std::vector<double> unseen = errors(predict, others);
    const double average = mean(unseen);
    std::printf("%-44s %8.2f %% %8.2f %% %8.2f %% %8.2f %%\n", who, 100 * mean(errors(predict, fitted)), 100 * average,
                100 * unseen[unseen.size() * 95 / 100], 100 * unseen.back());
    return average;
}

/// Prints the error by degree of tensor parallelism, which the model describes least well.
void report_by_tensor(const Predictor& predict, const Rows& rows) {
    std::printf("the simulator's error by GPUs that share a layer:");
    for (const std::int32_t ways : {1, 2, 4, 8}) {
        Rows alike;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(alike),
                     [&](const Row& row) { return row.tensor == ways; });
        if (!alike.empty()) std::printf("  %d: %.2f %%", ways, 100 * mean(errors(predict, alike)));
    }
    std::printf("\n");
}

/// Converts logarithms to constants. On a logarithmic scale, the fit changes constants of all sizes equally and keeps
/// them above zero.
Constants constants_at(const Point& point) {
    Constants constants{};
    for (std::size_t i = 0; i < constants.size(); ++i) {
        const double most = constant_infos[i].most;
        constants[i] = std::exp(point[i]);
        if (most > 0) constants[i] = std::min(constants[i], most);
    }
    return constants;
}

Constants fit(TrainingModel& model, const Rows& rows) {
    const auto error = [&](const Point& point) {
        const Constants constants = constants_at(point);
        double sum = 0;
        for (const Row& row : rows) {
            const auto step_s = model.step_s(row, constants);
            if (!step_s) return std::numeric_limits<double>::infinity();
            sum += std::abs(*step_s / row.iteration_s - 1);
        }
        return sum / static_cast<double>(rows.size());
    };
    Point start;
    for (const ConstantInfo& info : constant_infos) start.push_back(std::log(info.start));
    const Minimum minimum = minimize(error, start, std::log(1.5), most_evaluations);
    std::printf("fitted in %d simulations of %zu rows\n", minimum.evaluations, rows.size());
    return constants_at(minimum.at);
}

void print(const Constants& constants) {
    for (std::size_t i = 0; i < constants.size(); ++i) {
        const ConstantInfo& info = constant_infos[i];
        std::printf("  %-14s %9.3g %-7s%s  %s\n", info.name, constants[i], info.unit,
                    info.most > 0 && constants[i] >= info.most ? " (data sheet's)" : "", info.meaning);
    }
}

/// Returns the FLOPs of a GPU's matrix products in the slowest chain of operations.
double flops(const Row& row) {
    const double tokens = row.tokens(), hidden = row.hidden, passes = row.microbatches() + row.pipeline - 1;
    return passes * row.stage_layers() * (24 * hidden + 4 * row.sequence) * hidden * tokens / row.tensor;
}

/// Returns the terms that a regression needs to predict well without a simulation: FLOPs, layer passes, layer passes
/// times the other GPUs of an all-reduce, logits, and weights.
Point regression_terms(const Row& row) {
    const double passes = (row.microbatches() + row.pipeline - 1.0) * row.stage_layers(), hidden = row.hidden;
    return {flops(row), passes, passes * (row.tensor - 1), row.microbatches() * row.tokens() / row.tensor,
            hidden * hidden * row.stage_layers() / row.tensor};
}

Predictor regression(const std::function<Point(const Row&)>& terms, const Rows& rows) {
    std::vector<Point> relative;
    for (const Row& row : rows) {
        relative.push_back(terms(row));
        for (double& term : relative.back()) term /= row.iteration_s;
    }
    return [terms, coefficients = least_squares_to_one(relative)](const Row& row) {
        const Point values = terms(row);
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) sum += coefficients[i] * values[i];
        return sum;
    };
}

}  // namespace

int main(int argc, char** argv) {
    const std::string path = argc > 1 ? argv[1] : DIVISI_SOURCE_DIR "/../shared/data/vtrain/ground_truth_single.csv";
    Result<Rows> rows = read_rows(path);
    if (!rows) {
        std::fprintf(stderr, "%s\n", rows.error().message().c_str());
        return rows.error().code == ErrorCode::not_found ? skipped : 1;
    }
    shuffle(*rows, seed);
    if (argc > 2) rows->resize(std::min(rows->size(), static_cast<std::size_t>(std::max(2, std::atoi(argv[2])))));
    const auto half = rows->begin() + static_cast<std::ptrdiff_t>(rows->size() / 2);
    const Rows fitted(rows->begin(), half), others(half, rows->end());

    TrainingModel model;
    const Constants constants = fit(model, fitted);
    print(constants);
    const Predictor simulator = [&](const Row& row) {
        const auto step_s = model.step_s(row, constants);
        return step_s ? *step_s : std::numeric_limits<double>::infinity();
    };
    std::printf("%-44s %10s %10s %10s %10s\n", "error", "fitted", "others", "their p95", "worst");
    const double error = report("the simulator, eight constants", simulator, fitted, others);
    report("regression on five terms", regression(regression_terms, fitted), fitted, others);
    report("one constant times the FLOPs", regression([](const Row& row) { return Point{flops(row)}; }, fitted), fitted,
           others);
    report_by_tensor(simulator, others);
    std::printf("%.2f of the limit (%.0f %%)\n", error / most_mean_error, 100 * most_mean_error);
    return error < most_mean_error ? 0 : 1;
}
