// SPDX-License-Identifier: GPL-3.0-or-later
// Tests log lines in another language: each line that the cluster sends can be translated.
#include "app/model/wording/event_line.h"

#include <QCoreApplication>
#include <QTranslator>

#include "app/model/tracking/unit_graph.h"
#include "backend/control/state/event.h"
#include "backend/plan/interpreter.h"
#include "tests/support/test_program.h"

namespace event_line_test {

using namespace divisi;

namespace {

/// A test language that puts lines and operations in brackets and leaves words unchanged.
class Brackets : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char*, int) const override {
        const bool line = QByteArray(context) == "EventLines" && QByteArray(source).contains('%');
        const bool operation = QByteArray(context) == "divisi::model::Works";
        return line || operation ? u'[' + QString::fromUtf8(source) + u']' : QString();
    }
};

QString line_of(const control::Event::Body& body) {
    return model::event_line(control::kind_name(body), control::describe(body));
}

std::vector<control::Event::Body> events() {
    using namespace control;
    const TaskId task("gpt-1");
    const InstanceId instance("gpt-1/stage-0/0#3");
    const NodeId node("mic-1/node-1");
    NodeInfo info;
    info.id = node;
    Lease lease;
    lease.number = 7;
    lease.instance = instance;
    lease.node = node;
    lease.terms.device = "cuda:0 of an H200";
    Receipt receipt;
    receipt.number = 9;
    receipt.lease = lease;
    MeshMember router;
    router.name = "sr-1";
    router.neighbours = {"mg-1", "mg-2"};
    Alert alert;
    alert.number = 4;
    alert.task = task;
    alert.what = "steps take 200 ms";
    ModelVersion version;
    version.number = 2;
    version.model = "zoo:gpt";
    version.task = task;
    version.hash = "00ff";
    ExceptionEntry entry;
    entry.task = task;
    entry.error = {ErrorCode::failed, "no node is ready", "cluster lab", ""};
    return {ClusterStarted{"lab", "0.1.0"},
            NodeJoined{info},
            NodeEnded{node, NodeState::lost, "it fell silent"},
            NodeEnded{node, NodeState::left, ""},
            InstancePlaced{task, instance, Sid("gpt-1/stage-0/0"), node},
            InstanceChanged{instance, InstanceState::running, ""},
            PhaseChanged{task, TaskPhase::registration, "waiting for its nodes"},
            TaskEnded{task, Outcome::failed, entry.error},
            KeyChanged{"00", "ada", Role::viewer, false},
            Noted{Severity::info, "orchestrator", "", "it is ready"},
            TaskHeld{task, true},
            InstanceJoined{instance, "p", "", ""},
            InstanceLoaded{instance},
            InstanceEnded{instance, "killed by signal 9"},
            TaskQueued{task, QueueState::files},
            LeaseGranted{lease},
            LeaseActivated{7, instance, "mg-1"},
            LeaseFinished{7, instance, "the task is over"},
            LeaseReclaimed{receipt, "00"},
            ReceiptKeyChanged{"00ff"},
            DeviceJoined{router},
            ServiceLeft{{}, {}, Sid("gpt-1/stage-0/0")},
            ExceptionRaised{entry},
            AlertRaised{alert},
            AlertCleared{4, task, "the node is back"},
            VersionMade{version}};
}

}  // namespace

class EventLineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lines_stay_unchanged_in_the_language_of_the_log() {
        for (const control::Event::Body& body : events())
            QCOMPARE(line_of(body), QString::fromStdString(control::describe(body)));
    }

    void every_line_is_translated_in_another_language() {
        Brackets brackets;
        QCoreApplication::installTranslator(&brackets);
        QStringList unknown;
        for (const control::Event::Body& body : events())
            if (const QString line = line_of(body); !line.startsWith(u'[')) unknown << line;
        const QString named = line_of(control::TaskEnded{TaskId("gpt-1"), control::Outcome::stopped, {}});
        const QString foreign = model::event_line("a_kind_of_tomorrow", "what it says");
        QCoreApplication::removeTranslator(&brackets);
        QVERIFY2(unknown.isEmpty(), qPrintable(unknown.join(u'\n')));
        QCOMPARE(named, QStringLiteral("[task gpt-1 stopped]"));
        QCOMPARE(foreign, QStringLiteral("what it says"));
    }

    void translated_operation_keeps_its_numbers() {
        Brackets brackets;
        QCoreApplication::installTranslator(&brackets);
        plan::Operation operation;
        operation.kind = plan::OperationKind::forward;
        operation.microbatch = 3;
        const QString said = model::operation_text(plan::describe(operation, 12));
        operation.kind = plan::OperationKind::optimizer;
        const QString whole = model::operation_text(plan::describe(operation, 12));
        QCoreApplication::removeTranslator(&brackets);
        QCOMPARE(said, QStringLiteral("[forward 3 of step 12]"));
        QCOMPARE(whole, QStringLiteral("[optimizer of step 12]"));
    }
};

DIVISI_TEST(EventLineTest)

}  // namespace event_line_test

#include "event_line_test.moc"
