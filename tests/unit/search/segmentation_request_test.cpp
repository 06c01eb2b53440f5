// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <vector>

#include "tests/support/test_program.h"

#include "backend/search/segmentation_request.h"

namespace segmentation_request_test {

using namespace divisi::search;

class SegmentationRequestTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void accepts_every_mode_and_method();
    void names_each_bad_field_data();
    void names_each_bad_field();
    void names_all_bad_fields_at_once();
    void unknown_version_is_the_only_reported_error();
};

void SegmentationRequestTest::accepts_every_mode_and_method() {
    QVERIFY(check_request({}).ok());
    for (const std::string& strategy : segmentation_strategies()) {
        for (const std::string& method : segmentation_methods()) {
            SegmentationRequest request;
            request.strategy = strategy;
            request.method = method;
            request.least_stages = 2;
            request.most_stages = 8;
            QVERIFY(check_request(request).ok());
        }
    }
}

struct Spoil : std::function<void(SegmentationRequest&)> {
    using function::function;
};

}  // namespace segmentation_request_test

Q_DECLARE_METATYPE(segmentation_request_test::Spoil)

namespace segmentation_request_test {

void SegmentationRequestTest::names_each_bad_field_data() {
    QTest::addColumn<Spoil>("spoil");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, Spoil spoil, const char* where, const char* says) {
        QTest::newRow(name) << spoil << QString(where) << QString(says);
    };
    using R = SegmentationRequest;
    row(
        "version", [](R& r) { r.version = 2; }, "split.version", "version = 1");
    row(
        "strategy", [](R& r) { r.strategy = "layers"; }, "split.strategy", "layer, business, block");
    row(
        "method", [](R& r) { r.method = ""; }, "split.method", "tabu");
    row(
        "stages", [](R& r) { r.stages = -1; }, "split.stages", "0 to 256");
    row(
        "both", [](R& r) { r.stages = 2, r.cuts = {"1"}; }, "split.cuts", "keep one");
    row(
        "range and stages", [](R& r) { r.stages = 2, r.most_stages = 4; }, "split.stages", "keep one");
    row(
        "range and cuts", [](R& r) { r.cuts = {"1"}, r.least_stages = 4; }, "split.cuts", "keep one");
    row(
        "stage range", [](R& r) { r.least_stages = 5, r.most_stages = 4; }, "split.most_stages", "raise this value");
    row(
        "layer range", [](R& r) { r.least_layers = 5, r.most_layers = 4; }, "split.most_layers", "raise this value");
    row(
        "layers", [](R& r) { r.least_layers = -5; }, "split.least_layers", "0 to");
    row(
        "tenure", [](R& r) { r.tabu_tenure = -1; }, "split.tabu_tenure", "0 to");
    row(
        "budget", [](R& r) { r.tabu_iterations = 0; }, "split.tabu_iterations", "1 to");
    row(
        "neighbourhood", [](R& r) { r.tabu_neighbourhood = 0; }, "split.tabu_neighbourhood", "1 to");
    row(
        "aspiration", [](R& r) { r.tabu_aspiration = "worse"; }, "split.tabu_aspiration", "better, none");
    row(
        "shared", [](R& r) { r.strategy = "business", r.shared_layers = -2; }, "split.shared_layers", "-1");
    row(
        "shared elsewhere", [](R& r) { r.shared_layers = 3; }, "split.shared_layers", "remove it");
    row(
        "too many cuts", [](R& r) { r.cuts.assign(256, "1"); }, "split.cuts", "at most 255");
    row(
        "too many names", [](R& r) { r.together.assign(10'001, "/a"); }, "split.together", "at most 10000");
    row(
        "long name", [](R& r) { r.sensitive = {std::string(5000, 'a')}; }, "split.sensitive", "at most 4096");
    row(
        "sensitive", [](R& r) { r.sensitive = {""}; }, "split.sensitive", "/encoder/*");
    row(
        "together", [](R& r) { r.together = {"*"}; }, "split.together", "/encoder/*");
}

void SegmentationRequestTest::names_each_bad_field() {
    QFETCH(Spoil, spoil);
    QFETCH(QString, where);
    QFETCH(QString, says);
    SegmentationRequest request;
    spoil(request);
    const auto checked = check_request(request);
    QVERIFY(!checked.ok());
    QCOMPARE(QString::fromStdString(checked.error().where), where);
    QVERIFY2(QString::fromStdString(checked.error().next).contains(says), checked.error().next.c_str());
}

/// Every field is wrong at the same time. Each field is named exactly once.
void SegmentationRequestTest::names_all_bad_fields_at_once() {
    SegmentationRequest request;
    request.strategy = "layers";
    request.method = "best";
    request.stages = -1;
    request.cuts.assign(300, "1");
    request.least_stages = 300;
    request.most_stages = -2;
    request.least_layers = -3;
    request.most_layers = -4;
    request.tabu_tenure = -1;
    request.tabu_iterations = 0;
    request.tabu_neighbourhood = 10'001;
    request.tabu_aspiration = "worse";
    request.shared_layers = -5;
    request.sensitive = {"", "*"};
    request.together = {"*", ""};
    std::vector<std::string> named;
    for (const divisi::Error& error : request_errors(request)) named.push_back(error.where.substr(6));
    const std::vector<std::string> expected{
        "strategy",           "method",          "stages",        "least_stages", "most_stages",
        "least_layers",       "most_layers",     "cuts",          "tabu_tenure",  "tabu_iterations",
        "tabu_neighbourhood", "tabu_aspiration", "shared_layers", "sensitive",    "together"};
    QCOMPARE(named, expected);
    QCOMPARE(check_request(request).error().where, std::string("split.strategy"));
}

void SegmentationRequestTest::unknown_version_is_the_only_reported_error() {
    SegmentationRequest request;
    request.version = 2;
    request.tabu_tenure = -1;
    const auto errors = request_errors(request);
    QCOMPARE(errors.size(), std::size_t{1});
    QCOMPARE(
        errors[0].where + " " + errors[0].message(),
        std::string("split.version split.version: = 2 is a version that this build does not support; use version = "
                    "1"));
}

DIVISI_TEST(SegmentationRequestTest)

}  // namespace segmentation_request_test

#include "segmentation_request_test.moc"
