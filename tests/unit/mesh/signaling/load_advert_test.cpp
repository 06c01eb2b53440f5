// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/signaling/load_advert.h"

#include <cmath>
#include <limits>

#include "tests/support/test_program.h"

namespace load_advert_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const TimePoint start{std::chrono::hours(1)};
constexpr std::uint64_t mega = 1u << 20;

LoadAdvert advert(std::uint64_t sequence = 1) {
    LoadAdvert said;
    said.sender = 3;
    said.sequence = sequence;
    said.links = {{1, true, 0, 8 * mega, 1e7, 0.01, 0}, {2, true, 20 * mega, 8 * mega, 1e7, 0.01, 0.5}};
    said.prefixes = {{"gpt-1/stage-1", 0.01, 0.5, 0, "cpu", 5e9}};
    return said;
}

}  // namespace

struct Change : std::function<void(LoadAdvert&)> {
    using function::function;
};

}  // namespace load_advert_test

Q_DECLARE_METATYPE(load_advert_test::Change)

namespace load_advert_test {

/// Tests signaling type 4: when a router reports its load, and what a gateway stores of these reports.
class LoadAdvertTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void load_is_advertised_every_half_second();
    void change_by_a_fifth_is_advertised_at_once_data();
    void change_by_a_fifth_is_advertised_at_once();
    void constant_changes_are_advertised_ten_times_a_second();
    void least_important_rows_are_cut_at_the_bounds();
    void last_advert_holds_for_a_limited_time();
    void failed_links_are_listed();
    void impossible_adverts_are_refused_data();
    void impossible_adverts_are_refused();
};

void LoadAdvertTest::load_is_advertised_every_half_second() {
    LoadReporter teller;
    QVERIFY(teller.due(advert(), start));  // nothing has been sent yet
    teller.told(advert(), start);
    QVERIFY(!teller.due(advert(), start + 499ms));
    QVERIFY(teller.due(advert(), start + 500ms));
}

void LoadAdvertTest::change_by_a_fifth_is_advertised_at_once_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<bool>("told");
    const auto row = [](const char* name, Change change, bool told) {
        QTest::newRow(name) << std::move(change) << told;
    };
    row(
        "queue by a fifth", [](LoadAdvert& a) { a.links[1].queued += 4 * mega; }, true);
    row(
        "queue by less", [](LoadAdvert& a) { a.links[1].queued += 3 * mega; }, false);
    row(
        "queue falls", [](LoadAdvert& a) { a.links[1].queued = 0; }, true);
    row(
        "a few bytes where there were none", [](LoadAdvert& a) { a.links[0].queued = 100; }, false);
    row(
        "credit", [](LoadAdvert& a) { a.links[0].credit = 0; }, true);
    row(
        "rate", [](LoadAdvert& a) { a.links[0].bytes_per_s = 1.2e7; }, true);
    row(
        "rate by less", [](LoadAdvert& a) { a.links[0].bytes_per_s = 1.1e7; }, false);
    row(
        "round trip", [](LoadAdvert& a) { a.links[0].round_trip_s = 0.02; }, true);
    row(
        "loss", [](LoadAdvert& a) { a.links[0].loss = 0.2; }, true);
    row(
        "a link fails", [](LoadAdvert& a) { a.links[0].usable = false; }, true);
    row(
        "a link goes", [](LoadAdvert& a) { a.links.pop_back(); }, true);
    row(
        "another link", [](LoadAdvert& a) { a.links[0].to = 9; }, true);
    row(
        "service time", [](LoadAdvert& a) { a.prefixes[0].service_s = 0.02; }, true);
    row(
        "load", [](LoadAdvert& a) { a.prefixes[0].load = 0.9; }, true);
    row(
        "hardware", [](LoadAdvert& a) { a.prefixes[0].device = "cuda:0"; }, true);
    row(
        "a prefix more",
        [](LoadAdvert& a) {
            a.prefixes.push_back({"gpt-2/stage-0", 0, 0, 0, "", 0});
        },
        true);
    row(
        "nothing but the number", [](LoadAdvert& a) { a.sequence += 7; }, false);
}

void LoadAdvertTest::change_by_a_fifth_is_advertised_at_once() {
    QFETCH(Change, change);
    QFETCH(bool, told);
    LoadReporter teller;
    teller.told(advert(), start);
    LoadAdvert now = advert();
    change(now);
    QCOMPARE(teller.due(now, start + least_load_interval), told);
}

void LoadAdvertTest::constant_changes_are_advertised_ten_times_a_second() {
    LoadReporter teller;
    int told = 0;
    for (int ms = 0; ms < 1000; ms += 25) {
        LoadAdvert now = advert();
        now.links[0].queued = (ms / 25) % 2 == 0 ? 0 : 100 * mega;
        if (!teller.due(now, start + std::chrono::milliseconds(ms))) continue;
        QVERIFY(teller.may_tell(start + std::chrono::milliseconds(ms)));
        teller.told(now, start + std::chrono::milliseconds(ms));
        ++told;
    }
    QVERIFY2(told > 5 && told <= 10, qPrintable(QString::number(told)));
}

void LoadAdvertTest::least_important_rows_are_cut_at_the_bounds() {
    LoadAdvert said;
    for (std::uint32_t i = 1; i <= 200; ++i) {
        said.links.push_back({i, i != 7, i * mega, 0, 0, 0, 0});
        said.prefixes.push_back({"t-" + std::to_string(i), 0, 0, i, "", 0});
    }
    keep_within_bounds(said);
    QCOMPARE(said.links.size(), most_load_links);
    QCOMPARE(said.links[0].to, 7U);  // a failed link
    QCOMPARE(said.links[1].to, 200U);
    QCOMPARE(said.prefixes.size(), most_load_prefixes);
    QCOMPARE(said.prefixes[0].prefix, std::string("t-200"));
    for (PrefixLoad& one : said.prefixes) one.prefix.assign(256, 'p');
    keep_within_bounds(said);
    QVERIFY(said.prefixes.size() > 8 && said.prefixes.size() < most_load_prefixes);
}

void LoadAdvertTest::last_advert_holds_for_a_limited_time() {
    LoadBook book;
    QVERIFY(!book.of(RoutingId(3)));
    QVERIFY(book.take(RoutingId(3), advert(1), start).ok());
    QVERIFY(book.take(RoutingId(3), advert(2), start + 1s).ok());
    QCOMPARE(book.of(RoutingId(3))->at, start + 1s);
    QCOMPARE(book.link(RoutingId(3), RoutingId(2))->queued, 20 * mega);
    QVERIFY(!book.link(RoutingId(3), RoutingId(9)));
    QVERIFY(!book.drop_old(start + 1s + load_holds - 1ms));
    QVERIFY(book.of(RoutingId(3)));
    QVERIFY(!book.drop_old(start + 1s + load_holds));  // none of the links in this advert had failed
    QVERIFY(!book.of(RoutingId(3)));
    QVERIFY(book.take(RoutingId(3), advert(1), start + 9s).ok());
    book.forget(RoutingId(3));
    QVERIFY(!book.of(RoutingId(3)));
}

void LoadAdvertTest::failed_links_are_listed() {
    LoadBook book;
    QCOMPARE(book.take(RoutingId(3), advert(1), start).value(), false);
    LoadAdvert failed = advert(2);
    failed.links[1].usable = false;
    QCOMPARE(book.take(RoutingId(3), failed, start).value(), true);
    QCOMPARE(book.failed_links(), (std::set<LinkKey>{link_key(RoutingId(2), RoutingId(3))}));
    failed.sequence = 3;
    QCOMPARE(book.take(RoutingId(3), failed, start).value(), false);
    QCOMPARE(book.take(RoutingId(3), advert(4), start).value(), true);
    QVERIFY(book.failed_links().empty());
    failed.sequence = 5;
    (void)book.take(RoutingId(3), failed, start);
    QVERIFY(book.drop_old(start + load_holds));  // the links of a router that has become silent may be tried again
    QVERIFY(book.failed_links().empty());
}

void LoadAdvertTest::impossible_adverts_are_refused_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("what");
    const auto row = [](const char* name, Change change, const char* what) {
        QTest::newRow(name) << std::move(change) << QString(what);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    row(
        "another version", [](LoadAdvert& a) { a.version = 2; }, "version");
    row(
        "another sender", [](LoadAdvert& a) { a.sender = 4; }, "another router");
    row(
        "an older one", [](LoadAdvert& a) { a.sequence = 1; }, "after a later message");
    row(
        "a link to nobody", [](LoadAdvert& a) { a.links[0].to = 0; }, "repeated neighbour");
    row(
        "a link beyond 16 bits", [](LoadAdvert& a) { a.links[0].to = 65'536; }, "repeated neighbour");
    row(
        "a link to itself", [](LoadAdvert& a) { a.links[0].to = 3; }, "repeated neighbour");
    row(
        "a link twice", [](LoadAdvert& a) { a.links[0].to = 2; }, "repeated neighbour");
    row(
        "too many links", [](LoadAdvert& a) { a.links.resize(most_load_links + 1); }, "links");
    row(
        "too many prefixes", [](LoadAdvert& a) { a.prefixes.resize(most_load_prefixes + 1); }, "prefixes");
    row(
        "no rate", [nan](LoadAdvert& a) { a.links[0].bytes_per_s = nan; }, "figures of a link");
    row(
        "a negative round trip", [](LoadAdvert& a) { a.links[0].round_trip_s = -1; }, "figures of a link");
    row(
        "a loss above 1", [](LoadAdvert& a) { a.links[0].loss = 1.5; }, "figures of a link");
    row(
        "no prefix", [](LoadAdvert& a) { a.prefixes[0].prefix = "a b"; }, "invalid service prefix");
    row(
        "a long device", [](LoadAdvert& a) { a.prefixes[0].device.assign(65, 'x'); }, "or device");
    row(
        "endless service", [](LoadAdvert& a) { a.prefixes[0].service_s = INFINITY; }, "figures of a prefix");
}

void LoadAdvertTest::impossible_adverts_are_refused() {
    QFETCH(Change, change);
    QFETCH(QString, what);
    LoadBook book;
    QVERIFY(book.take(RoutingId(3), advert(1), start).ok());
    LoadAdvert said = advert(2);
    change(said);
    const auto taken = book.take(RoutingId(3), said, start + 1s);
    QVERIFY(!taken.ok());
    QVERIFY2(QString::fromStdString(taken.error().what).contains(what), taken.error().what.c_str());
    QCOMPARE(book.of(RoutingId(3))->at, start);  // the refused advert was not stored
}

DIVISI_TEST(LoadAdvertTest)

}  // namespace load_advert_test

#include "load_advert_test.moc"
