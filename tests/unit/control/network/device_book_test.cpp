// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/device_book.h"

#include <algorithm>
#include <random>

#include "tests/support/test_program.h"

namespace device_book_test {

using namespace divisi;
using namespace divisi::control;

namespace {

DeviceInfo router(const std::string& name, const std::vector<std::string>& neighbours = {}) {
    DeviceInfo info;
    info.name = name;
    info.neighbours = neighbours;
    return info;
}
DeviceInfo gateway(const std::string& name, const std::string& mic) {
    DeviceInfo info = router(name);
    info.role = mesh::DeviceRole::gateway;
    info.mic = MicId(mic);
    return info;
}

}  // namespace

/// Tests that devices are found by name, number, connection, MIC and neighbour after any changes.
class DeviceBookTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void device_is_found_until_it_is_erased();
    void new_device_gets_the_lowest_free_number();
    void links_match_a_linear_search();
};

void DeviceBookTest::device_is_found_until_it_is_erased() {
    DeviceBook book;
    book.put(gateway("mg", "m"), PeerId(5), 0);
    QCOMPARE(book.find("mg")->view.id, std::uint32_t{1});
    QCOMPARE(book.find(1U), book.find("mg"));
    QCOMPARE(std::as_const(book).find(PeerId(5)), book.find("mg"));
    QCOMPARE(book.gateway_of(MicId("m")), book.find("mg"));
    book.part("mg");
    QVERIFY(!std::as_const(book).find(PeerId(5)));
    QVERIFY(!book.find("mg")->view.up);
    book.put(gateway("mg", "other"), PeerId(6), 0);  // the gateway reconnects and now leads another MIC
    QVERIFY(!book.gateway_of(MicId("m")));
    QCOMPARE(book.gateway_of(MicId("other"))->peer, std::optional(PeerId(6)));
    book.erase("mg");
    QVERIFY(!book.find("mg") && !book.find(1U) && !std::as_const(book).find(PeerId(6)));
    QVERIFY(!book.gateway_of(MicId("other")));
}

void DeviceBookTest::new_device_gets_the_lowest_free_number() {
    DeviceBook book;
    QCOMPARE(book.put(router("a"), PeerId(1), 0).view.id, std::uint32_t{1});
    QCOMPARE(book.put(router("b"), PeerId(2), 3).view.id, std::uint32_t{3});
    QCOMPARE(book.put(router("c"), PeerId(3), 3).view.id, std::uint32_t{2});
    QCOMPARE(book.put(router("d"), PeerId(4), 1 << 16).view.id, std::uint32_t{4});  // numbers have 16 bits
    book.erase("a");
    QCOMPARE(book.put(router("e"), PeerId(5), 0).view.id, std::uint32_t{1});
}

void DeviceBookTest::links_match_a_linear_search() {
    std::mt19937 random(2);
    const auto name = [&] { return "sr-" + std::to_string(random() % 8); };
    DeviceBook book;
    for (int i = 0; i < 5'000; ++i) {
        if (const std::string one = name(); random() % 3 == 0) {
            book.erase(one);
        } else {
            std::vector<std::string> neighbours;
            for (auto count = random() % 4; count > 0; --count)
                if (const std::string other = name(); other != one) neighbours.push_back(other);
            book.put(router(one, neighbours), PeerId(static_cast<std::uint64_t>(i)), 0);
        }
        for (const auto& [a, here] : book.all()) {
            std::set<std::string> expected;
            for (const auto& [b, there] : book.all()) {
                const auto names = [](const auto& device, const std::string& other) {
                    return std::ranges::count(device.view.info.neighbours, other) > 0;
                };
                const bool linked = names(here, b) || names(there, a);
                QCOMPARE(book.linked(a, b), linked);
                if (linked) expected.insert(b);
            }
            QCOMPARE(book.neighbours(a), expected);
        }
    }
}

DIVISI_TEST(DeviceBookTest)

}  // namespace device_book_test

#include "device_book_test.moc"
