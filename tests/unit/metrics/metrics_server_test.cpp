// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/metrics_server.h"

#include <httplib.h>

#include <QRegularExpression>
#include <QUrl>
#include <atomic>
#include <thread>

#include "tests/support/test_program.h"

namespace metrics_server_test {

using namespace divisi;
using namespace divisi::metrics;

class MetricsServerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void scrape_reads_consistent_figures();
    void server_refuses_non_loopback_addresses();
};

/// Scrapes while the program updates its figures as fast as it can.
void MetricsServerTest::scrape_reads_consistent_figures() {
    Board board;
    const auto show = [&](double value) {
        Figures figures;
        figures.gauge("divisi_first", "One.", {}, value);
        figures.gauge("divisi_second", "Another.", {}, value);
        board.show(std::move(figures));
    };
    show(0);
    const auto server = serve(board, "127.0.0.1:0").value();
    std::atomic<bool> over = false;
    std::thread program([&] {
        for (double value = 1; !over; ++value) show(value);
    });
    QStringList first, second;
    httplib::Client client("127.0.0.1", QUrl(QString::fromStdString(server->url())).port());
    const QRegularExpression line("^divisi_(first|second) (\\S+)$", QRegularExpression::MultilineOption);
    for (int scrape = 0; scrape < 50; ++scrape) {
        const auto answer = client.Get("/metrics");
        auto lines = line.globalMatch(answer ? QString::fromStdString(answer->body) : QString());
        while (lines.hasNext()) {
            const auto found = lines.next();
            (found.captured(1) == "first" ? first : second).append(found.captured(2));
        }
    }
    over = true;
    program.join();
    QCOMPARE(first.size(), 50);
    QCOMPARE(first, second);
    QVERIFY(first.first() != first.last());
}

void MetricsServerTest::server_refuses_non_loopback_addresses() {
    const Board board;
    QCOMPARE(serve(board, "0.0.0.0:0").error().code, ErrorCode::invalid_input);
    const auto server = serve(board, "127.0.0.1:0").value();
    const auto taken = QString::fromStdString(server->url()).section('/', 2, 2);
    QCOMPARE(serve(board, taken.toStdString()).error().code, ErrorCode::conflict);
}

DIVISI_TEST(MetricsServerTest)

}  // namespace metrics_server_test

#include "metrics_server_test.moc"
