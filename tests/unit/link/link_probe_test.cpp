// SPDX-License-Identifier: Apache-2.0
#include "backend/link/link_probe.h"

#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace link_probe_test {

using namespace divisi;
using namespace divisi::link;
using std::chrono::microseconds, std::chrono::milliseconds, std::chrono::seconds;

/// Tests the figures that a probe derives for a known link.
class LinkProbeTest : public QObject {
    Q_OBJECT

    /// Runs a probe between two ports over messages that take `latency`.
    static std::optional<Result<control::LinkFigures>> probe(Duration latency, bool served, Duration limit) {
        SimLoop loop;
        MemoryTransport net(loop, latency);
        std::optional<Result<control::LinkFigures>> result;
        ProbeSink sink(loop, net, 7);
        if (served && !sink.listen("mem://sink").ok()) return result;
        std::unique_ptr<LinkProbe> runner;
        runner = std::make_unique<LinkProbe>(loop, net, 7, [&](Result<control::LinkFigures> figures) {
            result = std::move(figures);
            runner.reset();  // as the owner of a probe does
        });
        runner->run("mem://sink.data mem://sink.lane", "", limit);
        loop.run_for(limit + seconds(1));
        return result;
    }

private Q_SLOTS:
    void latency_is_half_a_round_trip() {
        for (const Duration latency : {Duration(microseconds(50)), Duration(milliseconds(5))}) {
            const auto result = probe(latency, true, seconds(10));
            QVERIFY(result && result->ok());
            const double seconds = std::chrono::duration<double>(latency).count();
            QCOMPARE((*result)->latency_s, seconds);
            QCOMPARE((*result)->latency_spread_s, 0.0);
            QVERIFY((*result)->bytes_per_s > 0);
        }
    }

    void silent_sink_ends_the_probe() {
        const auto result = probe(milliseconds(1), false, seconds(3));
        QVERIFY(result && !result->ok());
        QCOMPARE(result->error().code, ErrorCode::deadline);
        QVERIFY2(result->error().message().find("cannot be reached") != std::string::npos,
                 result->error().message().c_str());
    }

    void figures_are_medians_and_count_the_latency_once() {
        ProbeSamples samples;
        samples.round_trips = {2e-3, 4e-3, 90e-3, 3e-3, 4e-3};
        samples.bursts = {4e-3 + 31 * 1e-5, 1, 4e-3 + 31 * 1e-5};
        samples.bulks = {14e-3, 14e-3, 24e-3, 14e-3, 14e-3};
        samples.bulk_bytes = 1e7;
        const control::LinkFigures figures = figures_of(samples);
        QCOMPARE(figures.latency_s, 2e-3);
        QCOMPARE(figures.latency_spread_s, 0.5e-3);
        QVERIFY(std::abs(figures.message_s - 1e-5) < 1e-12);
        QCOMPARE(figures.bytes_per_s, 1e9);
        QCOMPARE(figures.bytes_spread_per_s, 0.0);
        samples.bursts = {1e-3};  // a burst faster than single messages is noise
        QCOMPARE(figures_of(samples).message_s, 0.0);
        samples.bulks = {4e-3};  // no longer than a round trip, of which the path takes at most half
        QCOMPARE(figures_of(samples).bytes_per_s, 1e7 / 2e-3);
    }
};

DIVISI_TEST(LinkProbeTest)

}  // namespace link_probe_test

#include "link_probe_test.moc"
