// SPDX-License-Identifier: Apache-2.0
// Tests messages about non-finite losses, and how output lines show such losses.
#include <QJsonDocument>
#include <QJsonObject>
#include <limits>

#include "backend/control/types/json_lines.h"
#include "backend/control/types/nonfinite.h"
#include "tests/support/test_program.h"

namespace nonfinite_test {

using namespace divisi::control;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN(),
                infinite = std::numeric_limits<float>::infinity();

QJsonObject object(const std::string& line) { return QJsonDocument::fromJson(QByteArray(line.c_str())).object(); }

}  // namespace

class NonfiniteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void finite_losses_give_no_error() {
        StepRecord record{3, 1e38F};
        record.heads = {{"ads", 0.0F, {}}, {"visits", -1.0F, {}}};
        QVERIFY(!nonfinite_loss(record));
        QVERIFY(!nonfinite_loss(EvalRecord{3, 0.5F, {}, {}}));
    }

    void error_names_step_loss_and_heads() {
        StepRecord record{17, not_a_number};
        auto error = nonfinite_loss(record);
        QVERIFY(error);
        QCOMPARE(error->where, std::string("step 17"));
        QCOMPARE(error->what, std::string("the loss is nan"));
        QVERIFY(error->next.find("train.lr") != std::string::npos &&
                error->next.find("train.clip") != std::string::npos);
        record.heads = {{"ads", 1.0F, {}}, {"visits", -infinite, {}}, {"clicks", not_a_number, {}}};
        QCOMPARE(nonfinite_loss(record)->what,
                 std::string("the loss is nan (head 'visits' is -inf, head 'clicks' is nan)"));
        // A head of weight 0 may be non-finite although the loss is finite.
        record.loss = 2.0F;
        QVERIFY(nonfinite_loss(record));
        error = nonfinite_loss(EvalRecord{20, infinite, {}, {}});
        QCOMPARE(error->message().substr(0, 55),
                 std::string("evaluation after step 20: the validation loss is inf; l"));
    }

    void learning_rate_is_not_blamed_for_the_first_step() {
        const auto error = nonfinite_loss(StepRecord{1, not_a_number});
        QVERIFY(error && error->next.find("train.lr") == std::string::npos);
        QVERIFY(error->next.find("data") != std::string::npos);
    }

    void json_names_the_kind_of_a_nonfinite_loss() {
        StepRecord record{2, -not_a_number};
        record.heads = {{"ads", infinite, {}}, {"visits", 0.5F, {}}};
        const QJsonObject step = object(step_line(record));
        QCOMPARE(step["loss"].toString(), QString("NaN"));
        QCOMPARE(step["heads"]["ads"].toString(), QString("Infinity"));
        QCOMPARE(step["heads"]["visits"].toDouble(), 0.5);
        QCOMPARE(object(evaluation_line(EvalRecord{2, -infinite, {}, {}}))["loss"].toString(), QString("-Infinity"));
        QCOMPARE(object(step_line(StepRecord{2, 0.25F}))["loss"].toDouble(), 0.25);
    }

    void nonfinite_losses_are_shown_as_words() {
        QCOMPARE(loss_text(-not_a_number), std::string("nan"));
        QCOMPARE(loss_text(infinite), std::string("inf"));
        QCOMPARE(loss_text(-infinite), std::string("-inf"));
        QCOMPARE(loss_text(0.25), std::string("0.2500"));
        QCOMPARE(heads_text({{"ads", not_a_number, {}}, {"visits", 0.5F, 0.25}}),
                 std::string(" (ads nan, visits 0.5000 25.0 %)"));
    }
};

DIVISI_TEST(NonfiniteTest)

}  // namespace nonfinite_test

#include "nonfinite_test.moc"
